/// A value of a property list, as far as checks need it.
package indirect enum PropertyList: Sendable, Equatable {
  /// The members of a dictionary, in the order of the file.
  case dictionary([Member])
  /// The elements of an array.
  case array([PropertyList])
  /// A text.
  case string(String)
  /// A Boolean.
  case boolean(Bool)
  /// A whole number.
  case integer(Int)
  /// Any other value, with the name of its type.
  case other(String)

  /// A member of a dictionary.
  package struct Member: Sendable, Equatable {
    package let key: String
    package let value: PropertyList
  }

  /// The format of a file.
  package enum Format: String, Sendable {
    case xml
    case binary
  }

  /// The most bytes, containers within each other, and values that a property list may have.
  static let mostBytes = 16 << 20
  static let mostDepth = 64
  static let mostValues = 500_000

  /// Reads a property list of one of both formats.
  package static func parse(_ bytes: [UInt8]) throws(PropertyListDefect) -> (value: PropertyList, format: Format) {
    guard bytes.count <= mostBytes else { throw PropertyListDefect("The file has more than \(mostBytes) bytes.") }
    if bytes.starts(with: "bplist00".utf8) { return (try BinaryPropertyList.parse(bytes), .binary) }
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      throw PropertyListDefect("The file is UTF-16. Convert it with plutil -convert xml1.")
    }
    return (try XMLPropertyList.parse(bytes), .xml)
  }

  /// The name of the type, with its article.
  var typeName: String {
    switch self {
    case .dictionary: "a dictionary"
    case .array: "an array"
    case .string: "a text"
    case .boolean: "a Boolean"
    case .integer: "a whole number"
    case .other(let name): name
    }
  }
}

/// The reason for which bytes are no property list.
package struct PropertyListDefect: Error, Equatable {
  /// The reason and the correction, as sentences.
  package let reason: String
  /// The line of an XML file, from 1; nil where there is none.
  package let line: Int?

  init(_ reason: String, line: Int? = nil) { (self.reason, self.line) = (reason, line) }
}
