/// The pools from which the strata of an app borrow, for one amount of each value: that of the app, that of all apps
/// with the same model, or none.
struct ModelledPool {
  private let pool: NullModel?
  private let refusal: NullModel.Refusal?
  private let amounts: [Double]

  /// Makes the pool of the strata of an app; if there is none, that of the strata of all apps with the same model.
  init(_ strata: [NullStratum], wider: [NullStratum], amounts: [Double]) {
    self.amounts = amounts
    do throws(NullModel.Refusal) {
      (pool, refusal) = (try NullModel(strata, amounts: amounts), nil)
    } catch {
      pool = wider.count > strata.count ? try? NullModel(wider, amounts: amounts) : nil
      let worths = Set(strata.flatMap { zip($0.counts, amounts).filter { $0.0 > 0 }.map(\.1) })
      refusal = worths.count == 1 ? .noVariation : error == .noVariation ? .tooFew : error
    }
  }

  /// Returns the prediction for a stratum. Throws if it has no values of its own and the pool is too small, or if there
  /// is no pool and the stratum cannot stand alone. `ends` may have other amounts than the pool, with the same weights.
  func prediction(_ stratum: NullStratum, ends: [Double]? = nil) throws(NullModel.Refusal) -> NullPrediction {
    if let pool { return try pool.prediction(stratum, amounts: ends) }
    do throws(NullModel.Refusal) {
      let own = try NullModel.alone(stratum, amounts: amounts)
      guard let ends else { return own }
      var prediction = NullPrediction(stratum.shares, ends, weight: own.weight)
      prediction.degrees = own.degrees
      return prediction
    } catch {
      // Only where all values of all strata are worth the same, there is no variation.
      throw refusal == .noVariation ? .noVariation : .tooFew
    }
  }

  /// Returns the prediction for the share of a stratum's postbacks with an event, of which the amount is 1. Without a
  /// pool it has Jeffreys' prior.
  func eventPrediction(_ stratum: NullStratum) throws(NullModel.Refusal) -> NullPrediction {
    if let pool { return try pool.prediction(stratum) }
    let values = stratum.values
    guard values >= Double(NullModel.smallestStratum) else { throw .tooFew }
    let events = zip(stratum.counts, amounts).reduce(0) { $0 + $1.0 * $1.1 }
    let share = (events + 0.5) / (values + 1)
    var prediction = NullPrediction([share], [1], weight: values + 1)
    prediction.degrees = values - 1
    return prediction
  }

  /// Returns the expected share of each value among the null postbacks of a stratum that has a prediction.
  func shares(_ stratum: NullStratum) -> [Double] { pool?.shares(stratum) ?? stratum.shares }
}
