package import ConversionModel
package import DurableFiles
internal import Ledger
package import LookupTables

/// The revenue of all conversion values of the models that decoded the postbacks.
package struct ModelMeanings: Sendable {
  /// A model of an app.
  private struct Key: Hashable {
    let app: Int64
    let modelID: String
    let version: Int
  }

  private let models: [Key: ConversionModel]
  private let keys: [Int64: [Key]]
  /// The worth of fine values of the first window that have a range, as far as users tell it.
  private var worths: [Key: [Int: BucketWorth]] = [:]

  /// Collects models. Of models with the same app, id and version, which mean the same, the last one is used.
  package init(_ models: [ConversionModel]) {
    let pairs = models.map { (Key(app: $0.appID, modelID: $0.label.modelID, version: $0.label.version), $0) }
    self.models = Dictionary(pairs) { $1 }
    keys = Dictionary(grouping: Set(pairs.map(\.0)), by: \.app)
  }

  /// The models that decoded the rows of a run, as the ledger in its output folder keeps them. There are none if the
  /// ledger is in another folder.
  package static func models(ofRun output: String) throws(FileFailure) -> [ConversionModel] {
    // A text that an earlier version of the program accepted may have an error for this one.
    try texts(ofRun: output).flatMap { (try? Models(parsing: Array($0.utf8)))?.all ?? [] }
  }

  /// The same models as JSON.
  package static func texts(ofRun output: String) throws(FileFailure) -> [String] {
    let state = StateFolder.path(in: output)
    return Ledger.isThere(state) ? try Ledger.recordedModels(in: state).map(\.text) : []
  }

  /// The ends of the revenue of all values of a window.
  struct Revenue: Hashable {
    /// The least amounts, in order.
    var minima: [Amount] = []
    /// The greatest amounts, in order; nil for a value without an upper limit.
    var maxima: [Amount?] = []
    var currencies: Set<String> = []
  }

  /// Returns the revenue of all values of a window that the models of some values list. Without values it is that of all
  /// models of the app. Nil if a model is not known.
  func revenue(of values: some Sequence<ReportedValue>, app: Int64, window: Int) -> Revenue? {
    let used = Set(values.map { Key(app: app, modelID: $0.modelID, version: $0.modelVersion) })
    var revenue = Revenue()
    for key in used.isEmpty ? keys[app] ?? [] : Array(used) {
      guard let model = models[key] else { return nil }
      guard let window = model.window(window, .install) else { continue }
      if let currency = model.currency { revenue.currencies.insert(currency) }
      let meanings =
        window.fineValues.map { window.meaning(fine: $0) } + CoarseValue.allCases.map { window.meaning(coarse: $0) }
      for amount in meanings.compactMap({ $0?.revenue }) {
        revenue.minima.append(amount.minimum)
        revenue.maxima.append(amount.maximum)
      }
    }
    revenue.minima.sort()
    revenue.maxima.sort { one, other in
      guard let one, let other else { return one == nil && other != nil }
      return one < other
    }
    return revenue.minima.isEmpty ? nil : revenue
  }

  /// Returns a value of a window without the events that its model means at least 0 times, which earlier versions of the program
  /// counted. The value is as it was if the model is not known.
  package func withoutPossibleEvents(_ value: StratumCounts.Value, app: Int64, window: Int) -> StratumCounts.Value {
    guard case .decoded(var reported) = value,
      let model = models[Key(app: app, modelID: reported.modelID, version: reported.modelVersion)]
    else { return value }
    // A window for one type of conversion may have other meanings.
    let meanings = model.windows.filter { $0.postbackSequenceIndex == window }.compactMap { window in
      reported.coarse.map { window.meaning(coarse: $0) } ?? window.meaning(fine: reported.code)
    }
    let happened = Set(meanings.flatMap(\.events).filter { $0.minimumCount > 0 }.map(\.name))
    reported.events = reported.events.filter(happened.contains)
    return .decoded(reported)
  }

  /// Returns the coarse value that a user with a fine value of the first window has; nil if the model does not tell it.
  ///
  /// It is the one at whose beginnings the model divides its fine values, or else the one coarse value whose revenue
  /// has the least revenue of the fine value in its range.
  func coarse(of value: ReportedValue, app: Int64) -> CoarseValue? {
    let key = Key(app: app, modelID: value.modelID, version: value.modelVersion)
    guard value.coarse == nil, let window = models[key]?.window(0, .install) else { return nil }
    if let starts = window.coarseStarts { return starts.coarse(of: value.code) }
    guard let minimum = value.minimum else { return nil }
    let fitting = CoarseValue.allCases.filter { window.meaning(coarse: $0)?.revenue?.contains(minimum) == true }
    return fitting.count == 1 ? fitting.first : nil
  }

  /// Learns the worth of fine values of apps from the revenue of their users, as far as it is in the ranges of the values.
  package mutating func learn(from users: BucketWorths, _ apps: AppNames) {
    for (key, model) in models {
      guard let bundle = apps[key.app]?.bundleID, let currency = model.currency,
        let window = model.window(0, .install)
      else { continue }
      users.forEachUser(of: bundle, model.revenueKind, in: currency) { value, revenue in
        guard window.meaning(fine: value)?.revenue?.contains(revenue) == true else { return }
        worths[key, default: [:]][value, default: .init()].add(revenue.approximation)
      }
    }
  }

  /// Returns the worth of a fine value with a range, if enough users tell it.
  func worth(of value: ReportedValue, app: Int64) -> LearntWorth? {
    guard value.coarse == nil, value.minimum != value.maximum,
      let worth = worths[Key(app: app, modelID: value.modelID, version: value.modelVersion)]?[value.code],
      worth.count >= BucketWorth.smallest
    else { return nil }
    let amounts = LearntWorth.Amounts(mean: worth.mean, variance: worth.variance)
    return LearntWorth(basis: nil, count: worth.count, least: amounts, expected: amounts, most: amounts)
  }
}
