/// The conversion models of all apps: of each app, for an install date, one at most.
///
/// Never changes; new files make new `Models`.
public struct Models: Sendable {
  /// By app, in the order of their spans, which do not overlap.
  private let byApp: [Int64: [ConversionModel]]
  private let appIDsByBundleID: [String: Int64]

  /// No model of any app.
  public static let none = Models(disjoint: [])

  /// The models of files and directories.
  ///
  /// Of a directory every `*.json` in it, sorted by name. Throws everything that is wrong, in all files at once.
  public init(loading paths: [String]) throws(ModelErrors) {
    var loader = ModelLoader()
    for path in paths { loader.load(path) }
    self.init(disjoint: try loader.models())
  }

  /// The models of one text: a model, or an array of models. Problems are said to be in `file`.
  public init(parsing text: [UInt8], file: String) throws(ModelErrors) {
    var loader = ModelLoader()
    loader.load(text, file: file)
    self.init(disjoint: try loader.models())
  }

  private init(disjoint models: [ConversionModel]) {
    byApp = Dictionary(grouping: models, by: \.appID).mapValues { $0.sorted(bySpan: \.span) }
    let bundleIDs = models.compactMap { model in model.bundleID.map { ($0, model.appID) } }
    appIDsByBundleID = Dictionary(bundleIDs) { first, _ in first }
  }

  /// The models of an app, earliest first.
  public func models(for appID: Int64) -> [ConversionModel] { byApp[appID] ?? [] }

  /// All models, by app, earliest first.
  public var all: [ConversionModel] { appIDs.flatMap(models(for:)) }

  /// The app that any of its models says to have this bundle id.
  public func appID(bundleID: String) -> Int64? { appIDsByBundleID[bundleID] }

  /// The model of an app for installs at `time`.
  public func model(appID: Int64, at time: Timestamp) -> ConversionModel? {
    byApp[appID]?.first { $0.span.contains(time) }
  }

  /// The model of the app with this bundle id for installs at `time`.
  public func model(bundleID: String, at time: Timestamp) -> ConversionModel? {
    appID(bundleID: bundleID).flatMap { model(appID: $0, at: time) }
  }

  /// The apps that have models, by number.
  public var appIDs: [Int64] { byApp.keys.sorted() }
}

extension Sequence {
  /// By the beginnings of their spans.
  func sorted(bySpan span: (Element) -> EffectiveSpan) -> [Element] {
    sorted { left, right in
      guard let right = span(right).start else { return false }
      return span(left).start.map { $0 < right } ?? true
    }
  }
}
