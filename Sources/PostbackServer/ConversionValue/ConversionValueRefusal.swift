/// The reason that a request gets no conversion value.
enum ConversionValueRefusal: Error, Hashable {
  /// `p` is not `iOS`.
  case notIOS
  /// The parameter with this name is missing, occurs twice, or is malformed.
  case invalidParameter(String)
  /// No model is in force for the app of this bundle id at the first call.
  case noModel(app: String)
  /// The model does not describe the conversion window with this index.
  case windowNotDescribed(Int)
  /// The value cannot change any more, because the time for updates is over. `after` is that time in hours;
  /// `hoursToLastUpdate` counts from the first call to the last update, as the published API reports it.
  case windowClosed(after: Int, hoursToLastUpdate: Int)
  /// The revenue cannot be converted into the currency of the model, for the reason in the second value. `app` is the
  /// bundle id.
  case noRate(app: String, String)

  /// The reason in the words of the published API, which its clients recognise.
  var reason: String {
    switch self {
    case .notIOS: "Unknown platform error - Non iOS platform"
    case .invalidParameter(let name): "Conversion Management: Invalid parameter \(name) given"
    case .noModel(let app): "Conversion Management: Conversion Model not found for app: \(app)"
    case .windowNotDescribed(let index): "Invalid measurement period: \(index)"
    case .windowClosed(let limit, let hours):
      "More than \(limit) hours have past since last conversion update (\(hours) hours), the update window is closed"
    case .noRate(let app, let detail): "Conversion Management: Cannot find currency of owner: \(app) (\(detail))"
    }
  }
}
