/// The name of a file, whatever bytes it is.
struct SpoolName {
  /// The name; of one that is not UTF-8 the name that it gets in `failed/`.
  let text: String
  /// The bytes, and a zero, where they are not UTF-8.
  let raw: [CChar]?

  /// The path of the file in a folder, for the system.
  func path(in folder: String) -> [CChar] {
    guard let raw else { return Array("\(folder)/\(text)".utf8CString) }
    return "\(folder)/".utf8CString.dropLast() + raw
  }

  /// What a file system takes for a name, in bytes.
  static let maximum = 255

  /// A name with a suffix, shortened between two characters where both together are too long.
  static func fitting(_ name: String, _ suffix: String) -> String {
    guard name.utf8.count + suffix.utf8.count > maximum else { return name + suffix }
    var stem = Substring(name)
    while stem.utf8.count + suffix.utf8.count > maximum, !stem.isEmpty { stem = stem.dropLast() }
    return stem + suffix
  }

  /// Bytes as text on one line: those that are not of printable UTF-8 as `%` and two digits.
  static func printable(_ bytes: some Sequence<UInt8>) -> String {
    var decoder = UTF8()
    var pending = Array(bytes)[...]
    var text = ""
    while let first = pending.first {
      var rest = pending.makeIterator()
      if case .scalarValue(let scalar) = decoder.decode(&rest), !isControl(scalar) {
        text.unicodeScalars.append(scalar)
        pending = pending.dropFirst(UTF8.width(scalar))
      } else {
        text += "%" + (first < 16 ? "0" : "") + String(first, radix: 16, uppercase: true)
        pending = pending.dropFirst()
      }
      decoder = UTF8()
    }
    return text
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .format: true
    default: false
    }
  }
}
