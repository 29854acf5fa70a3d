/// The name of a file, which may be any bytes.
struct SpoolName {
  /// The name as text. A name that is not UTF-8 is escaped; the file gets the escaped name in `failed/`.
  let text: String
  /// The bytes of a name that is not UTF-8, with a zero at the end; nil for a name in UTF-8.
  let raw: [CChar]?

  /// Returns the path of the file in a folder for system calls, with a zero at the end.
  func path(in folder: String) -> [CChar] {
    guard let raw else { return Array("\(folder)/\(text)".utf8CString) }
    return "\(folder)/".utf8CString.dropLast() + raw
  }

  /// The length of the longest file name that a file system takes, in bytes.
  static let maximum = 255

  /// Returns a name with a suffix. If both together are too long, the end of the name is cut off between two
  /// characters.
  static func fitting(_ name: String, _ suffix: String) -> String {
    guard name.utf8.count + suffix.utf8.count > maximum else { return name + suffix }
    var stem = Substring(name)
    while stem.utf8.count + suffix.utf8.count > maximum, !stem.isEmpty { stem = stem.dropLast() }
    return stem + suffix
  }

  /// Returns bytes as text on one line. Invalid UTF-8 and control or format characters become `%` and two hexadecimal
  /// digits for each byte.
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
