public import Base

/// The conversion models of all apps.
///
/// An app has at most one model for any install date. An instance never changes: if files have changed, load a new one.
@available(iOS 18.0, *)
public struct Models: Sendable {
  /// The models by app, sorted by their spans, which do not overlap.
  private let byApp: [Int64: [ConversionModel]]
  private let appIDsByBundleID: [String: Int64]

  /// An instance without models.
  public static let none = Models(disjoint: [])

  /// Loads the models of files and directories.
  ///
  /// Every `*.json` in a directory that is not hidden is loaded, sorted by name.
  ///
  /// - Throws: All problems of all files at once.
  public init(loading paths: [String]) throws(ModelErrors) {
    var loader = ModelLoader()
    for path in paths { loader.load(path) }
    self.init(disjoint: try loader.models())
  }

  /// Returns the entries of a directory that `init(loading:)` does not read, and that may have been meant to be: directories,
  /// and files whose names end with `.JSON`. Empty for a file.
  package static func unreadEntries(of path: String) -> [String] {
    (try? ModelPath(path: path).unreadEntries()) ?? []
  }

  /// Parses the models of a JSON text: one model, or an array of models.
  ///
  /// - Parameters:
  ///   - text: The text in UTF-8.
  ///   - file: The name that problems give as their file.
  /// - Throws: All problems of the text at once.
  public init(parsing text: [UInt8], file: String = "model.json") throws(ModelErrors) {
    var loader = ModelLoader()
    loader.load(text, file: file)
    self.init(disjoint: try loader.models())
  }

  /// Creates an instance of models of which no two of one app have the same label, or apply at the same time.
  package init(disjoint models: [ConversionModel]) {
    byApp = Dictionary(grouping: models, by: \.appID).mapValues { $0.sorted(bySpan: \.span) }
    let bundleIDs = models.compactMap { model in model.bundleID.map { ($0, model.appID) } }
    appIDsByBundleID = Dictionary(bundleIDs) { first, _ in first }
  }

  /// The models of an app, earliest first.
  public func models(for appID: Int64) -> [ConversionModel] { byApp[appID] ?? [] }

  /// All models, by app id, the earliest of each app first.
  public var all: [ConversionModel] { appIDs.flatMap(models(for:)) }

  /// The app whose models state this bundle id; nil where none does.
  public func appID(bundleID: String) -> Int64? { appIDsByBundleID[bundleID] }

  /// The app of all models, if none of them states a bundle id; nil otherwise.
  package var onlyAppWithoutBundleID: Int64? {
    byApp.count == 1 && appIDsByBundleID.isEmpty ? byApp.keys.first : nil
  }

  /// The model of an app for installs at `time`; nil where the app has none.
  public func model(appID: Int64, at time: Timestamp) -> ConversionModel? {
    byApp[appID]?.first { $0.span.contains(time) }
  }

  /// The model of the app with this bundle id for installs at `time`; nil where there is none.
  public func model(bundleID: String, at time: Timestamp) -> ConversionModel? {
    appID(bundleID: bundleID).flatMap { model(appID: $0, at: time) }
  }

  /// The ids of the apps that have models, in ascending order.
  public var appIDs: [Int64] { byApp.keys.sorted() }
}

extension Sequence {
  /// Returns the elements sorted by the start of their spans; an open start comes first.
  func sorted(bySpan span: (Element) -> EffectiveSpan) -> [Element] {
    sorted { left, right in
      guard let right = span(right).start else { return false }
      return span(left).start.map { $0 < right } ?? true
    }
  }
}

/// A problem found in a model file, or in a file that goes with models.
public struct ModelProblem: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file or directory.
  public let file: String
  /// The number of the line, from 1, where the check knows it.
  public let line: Int?
  /// The place in the file as an RFC 6901 JSON pointer, such as `/windows/0/fine/64`; empty for the whole text. For a
  /// missing key it is the place where the key should be.
  public let pointer: String
  /// The problem and its correction, as complete sentences.
  public let reason: String

  package init(file: String, line: Int? = nil, pointer: String = "", reason: String) {
    (self.file, self.line, self.pointer, self.reason) = (file, line, pointer, reason)
  }

  /// The problem on one line, with control characters escaped: `FILE: line LINE: POINTER: REASON`, without what is not known.
  public var description: String {
    [file, line.map { "line \($0)" } ?? "", pointer, reason].filter { !$0.isEmpty }.joined(separator: ": ")
      .withControlCharactersEscaped
  }
}

/// The error thrown for wrong files, with all their problems in the order in which the checks found them.
public struct ModelErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems, at least one.
  public let problems: [ModelProblem]

  package init(problems: [ModelProblem]) { self.problems = problems }

  /// The problems as text, one on each line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
