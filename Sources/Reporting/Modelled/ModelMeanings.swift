package import ConversionModel
package import DurableFiles
internal import Ledger

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

  /// Collects models. Of models with the same app, id and version, which mean the same, the last one is used.
  package init(_ models: [ConversionModel]) {
    let pairs = models.map { (Key(app: $0.appID, modelID: $0.label.modelID, version: $0.label.version), $0) }
    self.models = Dictionary(pairs) { $1 }
    keys = Dictionary(grouping: Set(pairs.map(\.0)), by: \.app)
  }

  /// The models that decoded the rows of a run, as the ledger in its output folder keeps them. There are none if the
  /// ledger is in another folder.
  package init(ofRun output: String) throws(FileFailure) {
    let state = "\(output)/_state"
    var models: [ConversionModel] = []
    for kept in Ledger.isThere(state) ? try Ledger.keptModels(in: state) : [] {
      // A text that an earlier version of the program accepted may have an error for this one.
      models += (try? Models(parsing: Array(kept.text.utf8)))?.all ?? []
    }
    self.init(models)
  }

  /// The revenue of all values of a window.
  struct Revenue: Hashable {
    /// The estimates in order; nil for a value without an upper limit.
    var amounts: [Amount?] = []
    /// The currencies.
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
        revenue.amounts.append(amount.maximum == nil ? nil : amount.estimate)
      }
    }
    revenue.amounts.sort { one, other in
      guard let one, let other else { return one == nil && other != nil }
      return one < other
    }
    return revenue.amounts.isEmpty ? nil : revenue
  }
}
