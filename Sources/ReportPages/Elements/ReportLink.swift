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
    fragment = "#\(dimension.rawValue)=\(key.percentEncoded)&at=\(section)"
  }
}
