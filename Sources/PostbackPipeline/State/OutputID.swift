/// The random id of an output, which the folder of its tables and its state both hold.
///
/// A folder that is moved keeps it. A copy of a folder has it too: it goes with a copy of the state that was made at the
/// same time.
package struct OutputID: Hashable, Sendable, CustomStringConvertible {
  /// The name of the file in the folder of the tables.
  package static let fileName = "_output_id"

  /// 32 hexadecimal digits in lower case.
  package let description: String

  private static let digitCount = 32
  private static let newName = "\(fileName).new"

  /// The id that the digits spell; nil where they are no id.
  init?(_ digits: String) {
    guard digits.utf8.count == Self.digitCount, digits.utf8.allSatisfy(Self.isDigit) else { return nil }
    description = digits
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }

  /// The id in the folder at a path; nil where the folder has none, or is not there.
  package static func read(in folder: String) throws(StateFailure) -> OutputID? {
    guard try DurableFolder(folder).byteCount(of: fileName) != nil else { return nil }
    let path = "\(folder)/\(fileName)"
    var bytes = [UInt8](repeating: 0, count: digitCount + 8)
    let count = try StateFile(path, .reading).read(into: &bytes, at: 0)
    // Who wrote the file by hand may have ended the line in another way.
    let text = bytes.prefix(count).split(whereSeparator: \.isWhitespace).first.map {
      String(decoding: $0, as: UTF8.self)
    }
    guard let id = text.flatMap({ OutputID($0) }) else {
      throw .damaged(path, "does not hold the id of an output (\(digitCount) hexadecimal digits)")
    }
    return id
  }

  /// Writes the id into a folder, durably: no crash leaves a part of it.
  func write(in folder: DurableFolder) throws(StateFailure) {
    let file = try StateFile("\(folder.path)/\(Self.newName)", .creating)
    try file.append(Array("\(self)\n".utf8).span)
    try file.synchronize()
    try folder.rename(Self.newName, to: Self.fileName)
  }
}
