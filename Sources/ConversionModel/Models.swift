/// The conversion models of all apps: of each app, for an install date, one at most.
///
/// Never changes; new files make new `Models`.
public struct Models: Sendable {
  /// By app, in the order of their spans, which do not overlap.
  private let byApp: [Int64: [ConversionModel]]

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
  }

  /// The models of an app, earliest first.
  public func models(for appID: Int64) -> [ConversionModel] { byApp[appID] ?? [] }

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
