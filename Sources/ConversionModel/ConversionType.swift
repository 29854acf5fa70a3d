/// What AdAttributionKit says a conversion is. The raw values are those of model files.
///
/// SKAdNetwork knows installs only.
public enum ConversionType: String, CaseIterable, Sendable {
  /// The app was installed, for the first time or again; a postback says `download` or `redownload`.
  case install
  /// Somebody came back to the app that was installed already; a postback says `re-engagement`.
  case reEngagement = "re-engagement"

  /// The type that a postback's `conversion-type` says; nil for a word that Apple does not document.
  public init?(postbackValue: Span<UInt8>) {
    if postbackValue.isEqual(to: "download") || postbackValue.isEqual(to: "redownload") {
      self = .install
    } else if postbackValue.isEqual(to: "re-engagement") {
      self = .reEngagement
    } else {
      return nil
    }
  }
}

extension Span<UInt8> {
  fileprivate func isEqual(to text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in indices where unsafe self[index] != text.utf8Start[index] { return false }
    return true
  }
}
