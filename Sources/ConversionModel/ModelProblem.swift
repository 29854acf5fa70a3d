/// A problem found in a model file.
public struct ModelProblem: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file or directory.
  public let file: String
  /// The place in the file as an RFC 6901 JSON pointer, such as `/windows/0/fine/64`; empty for the whole text. For a
  /// missing key it is the place where the key should be.
  public let pointer: String
  /// The problem and its correction, as a phrase that follows the place.
  public let reason: String

  /// The problem on one line, with control characters escaped: `FILE: POINTER: REASON`, or `FILE: REASON` where the
  /// problem concerns the whole text.
  public var description: String {
    var line = ""
    for scalar in [file, pointer, reason].filter({ !$0.isEmpty }).joined(separator: ": ").unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control
      line += isControl ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
    return line
  }
}
