/// The random id of an output. Both the folder of its tables and its state hold it.
///
/// A folder that is moved keeps its id. A copy of a folder has the same id, and belongs to a copy of the state that was
/// made at the same time.
package struct OutputID: Hashable, Sendable, CustomStringConvertible {
  /// The name of the file in the folder of the tables.
  package static let fileName = "_output_id"

  /// The id as 32 hexadecimal digits in lower case.
  package let description: String

  private static let digitCount = 32
  private static let newName = "\(fileName).new"

  /// Creates an id from its digits; nil unless they are 32 hexadecimal digits in lower case.
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

  /// Reads the id in the folder at a path; nil if the folder or its id file does not exist. Throws `.damaged` if the
  /// file holds no id.
  package static func read(in folder: String) throws(StateFailure) -> OutputID? {
    guard try DurableFolder(folder).byteCount(of: fileName) != nil else { return nil }
    let path = "\(folder)/\(fileName)"
    var bytes = [UInt8](repeating: 0, count: digitCount + 8)
    let count = try StateFile(path, .reading).read(into: &bytes, at: 0)
    // The file may have been written by hand, with another line ending.
    let text = bytes.prefix(count).split(whereSeparator: \.isWhitespace).first.map {
      String(decoding: $0, as: UTF8.self)
    }
    guard let id = text.flatMap({ OutputID($0) }) else {
      throw .damaged(path, "does not hold the id of an output (\(digitCount) hexadecimal digits)")
    }
    return id
  }

  /// Writes the id into a folder, durably. No crash leaves an incomplete file of this name.
  func write(in folder: DurableFolder) throws(StateFailure) {
    let file = try StateFile("\(folder.path)/\(Self.newName)", .creating)
    try file.append(Array("\(self)\n".utf8).span)
    try file.synchronize()
    try folder.rename(Self.newName, to: Self.fileName)
  }
}
