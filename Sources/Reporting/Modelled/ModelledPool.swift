internal import ConversionModel

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
      refusal = error
    }
  }

  /// Returns the prediction for a stratum. Throws if it has no values of its own and the pool is too small, or if there
  /// is no pool and the stratum cannot stand alone.
  func prediction(_ stratum: NullStratum) throws(NullModel.Refusal) -> NullPrediction {
    if let pool { return try pool.prediction(stratum) }
    do throws(NullModel.Refusal) {
      return try NullModel.alone(stratum, amounts: amounts)
    } catch {
      // Without any variation in the pool a stratum has none either, however many values it has.
      throw refusal == .noVariation || error == .noVariation ? .noVariation : .tooFew
    }
  }

  /// Returns the prediction for the share of a stratum's postbacks with an event, of which the amount is 1. Without a
  /// pool it has Jeffreys' prior.
  func eventPrediction(_ stratum: NullStratum) throws(NullModel.Refusal) -> NullPrediction {
    if let pool { return try pool.prediction(stratum) }
    let values = stratum.values
    guard values >= NullModel.smallestStratum else { throw .tooFew }
    let events = zip(stratum.counts, amounts).reduce(0.0) { $0 + Double($1.0) * $1.1 }
    let share = (events + 0.5) / Double(values + 1)
    var prediction = NullPrediction([share], [1], weight: Double(values + 1))
    prediction.degrees = Double(values - 1)
    return prediction
  }

  /// Returns the expected share of each value among the null postbacks of a stratum that has a prediction.
  func shares(_ stratum: NullStratum) -> [Double] { pool?.shares(stratum) ?? stratum.shares }
}
