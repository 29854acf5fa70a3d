internal import Base

/// A link within the page that sets a filter and goes to a section.
///
/// The page's script reads the fragment, and accepts only the values that the page has.
struct ReportLink {
  /// The dimensions of the filters.
  enum Dimension: String, CaseIterable {
    case forwarder, network, app, code
  }

  /// The fragment of the link, with `#`.
  let fragment: String

  /// Creates the link to a section in which only one value of a dimension counts.
  init(_ dimension: Dimension, _ value: String, at section: String) {
    let written = value.withControlCharactersEscaped
    let key = written.hasPrefix("~") ? "~" + written : written
    fragment = "#\(dimension.rawValue)=\(Self.encoded(key))&at=\(section)"
  }

  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return encoded
  }
}
