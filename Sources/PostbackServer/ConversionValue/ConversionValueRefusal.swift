/// Why a request gets no conversion value.
enum ConversionValueRefusal: Error, Hashable {
  /// `p` is not `iOS`.
  case notIOS
  /// The parameter of that name is missing, there twice, or not of its form.
  case invalidParameter(String)
  /// No model is in force for the app of this bundle id at the first call.
  case noModel(app: String)
  /// The model does not describe the conversion window with this index.
  case windowNotDescribed(Int)
  /// The value can't change any more: more than so many hours have passed since the last update.
  case hoursSinceUpdate(Int)
  /// The value can't change any more: more than so many hours have passed since the first call.
  case hoursSinceFirstCall(Int)
  /// Revenue in this currency can't be converted into that of the app's model; and why.
  case noRate(app: String, String)

  /// The reason in the words of the published API, so that its clients know it.
  var reason: String {
    switch self {
    case .notIOS: "Unknown platform error - Non iOS platform"
    case .invalidParameter(let name): "Conversion Management: Invalid parameter \(name) given"
    case .noModel(let app): "Conversion Management: Conversion Model not found for app: \(app)"
    case .windowNotDescribed(let index): "Invalid measurement period: \(index)"
    case .hoursSinceUpdate(let hours): "More than \(hours) hours since the last update, update window closed"
    case .hoursSinceFirstCall(let hours): "More than \(hours) hours since the first call, update window closed"
    case .noRate(let app, let detail): "Conversion Management: Cannot find currency of owner: \(app) (\(detail))"
    }
  }
}
