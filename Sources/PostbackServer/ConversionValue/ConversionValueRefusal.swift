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
  /// The value can't change any more: the time for updates, so many hours, is over; and the hours from the first call to
  /// the last update, which is what the published API reports there.
  case windowClosed(after: Int, hoursToLastUpdate: Int)
  /// Revenue in this currency can't be converted into that of the app's model; and why.
  case noRate(app: String, String)

  /// The reason in the words of the published API, so that its clients know it.
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
