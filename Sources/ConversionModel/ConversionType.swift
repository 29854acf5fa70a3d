/// The type of a conversion in AdAttributionKit. The raw values are those of model files.
///
/// SKAdNetwork has installs only.
public enum ConversionType: String, CaseIterable, Sendable {
  /// The app was installed for the first time or again; the postback has `download` or `redownload`.
  case install
  /// A user came back to the installed app; the postback has `re-engagement`.
  case reEngagement = "re-engagement"

  /// The type that stands for a postback's `conversion-type`; nil for a value that Apple does not document.
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
