/// Something that is wrong with a model file.
public struct ModelProblem: Hashable, Sendable, CustomStringConvertible {
  /// The file or directory.
  public let file: String
  /// Where in it: an RFC 6901 JSON pointer, such as `/windows/0/fine/64`; empty for the whole text. Of a key that is
  /// missing, where it should be.
  public let pointer: String
  /// What is wrong, and what would be right.
  public let reason: String

  /// `FILE: POINTER: REASON`, or `FILE: REASON` where it is the whole text; on one line, control characters escaped.
  public var description: String {
    var line = ""
    for scalar in [file, pointer, reason].filter({ !$0.isEmpty }).joined(separator: ": ").unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control
      line += isControl ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
    return line
  }
}
