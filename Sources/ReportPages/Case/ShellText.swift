internal import Base

/// Words of shell commands into which no byte of a record enters unquoted.
enum ShellText {
  /// Returns a command that prints the bytes. Letters, digits and a few marks stand for themselves, all other bytes are in
  /// octal, so that the shell and `printf` interpret none of them.
  static func printf(_ bytes: [UInt8]) -> String {
    var format = ""
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"):
        format.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: "-") where index > 0: format += "-"
      default: format += "\\" + byte.digits(3, radix: 8)
      }
    }
    return "printf '\(format)'"
  }

  /// Returns a command that prints the bytes, which it holds in base64.
  static func decode(_ bytes: [UInt8]) -> String { "printf %s '\(base64(bytes))' | openssl base64 -d -A" }

  /// Returns a command that prints lines, which must not have an apostrophe.
  static func lines(_ lines: [String]) -> String {
    "printf '%s\\n' \(lines.map { "'\($0.replacing("'", with: ""))'" }.joined(separator: " "))"
  }

  /// Returns the bytes in base64.
  static func base64(_ bytes: [UInt8]) -> String { String(decoding: Base64.standard.encode(bytes), as: UTF8.self) }
}
