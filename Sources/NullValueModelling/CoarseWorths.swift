internal import ConversionModel

/// The origin of the worth of coarse values.
package enum CoarseBasis: String, CaseIterable, Comparable, Sendable {
  /// The fine values of the same class in the stratum.
  case stratum
  /// Those of the ad network and the app.
  case network
  /// Those of the app.
  case app
  /// The model, because there are too few fine values of the class.
  case assumed

  package static func < (left: Self, right: Self) -> Bool { left.distance < right.distance }

  private var distance: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The origin of the worth of fine values.
package enum BucketBasis: String, CaseIterable, Comparable, Sendable {
  /// The model has exact amounts.
  case exact
  /// The revenue of users tells the mean in the range of each value.
  case learnt
  /// The model has ranges, and nothing tells where in them revenue is.
  case assumed

  package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The worth of the coarse values of the first window: the mix of the fine values of the same class, of which a model
/// says that users with them have the coarse value.
///
/// The mean of a class' buckets is no estimate: most users of a class are in its lowest buckets.
struct CoarseWorths: Sendable {
  /// The mix of fine values that a coarse value stands for.
  struct Worth: Sendable {
    let basis: CoarseBasis
    /// The places of the fine values on the axis, in order, with their shares.
    let shares: [(place: Int, share: Double)]
    /// The number of fine values that the shares stand on.
    let count: Double
  }

  /// The fewest fine values of a class that tell its worth.
  static let smallestClass = 30.0

  private struct Class: Hashable {
    let modelID: String
    let version: Int
    let coarse: CoarseValue

    init(_ value: ReportedValue, _ coarse: CoarseValue) {
      (modelID, version, self.coarse) = (value.modelID, value.modelVersion, coarse)
    }
  }

  private struct Key: Hashable {
    let app: Int64
    let network: String?
    let identifier: Stratum.Identifier?
    let ofClass: Class
  }

  private var counts: [Key: [Int: Double]] = [:]

  /// Counts the fine values of strata; `classes` has the coarse values of fine ones, and `places` their places.
  init(_ parts: [ModelledUnit.Part], _ classes: [ReportedValue: CoarseValue], _ places: [ReportedValue: Int]) {
    guard !classes.isEmpty else { return }
    for part in parts {
      for (value, count) in part.basis {
        let value = value.untiered
        guard let coarse = classes[value], let place = places[value] else { continue }
        for (_, key) in Self.keys(part.stratum, Class(value, coarse)) {
          counts[key, default: [:]][place, default: 0] += Double(count)
        }
      }
    }
  }

  /// Returns the worth of a coarse value in a stratum: from the stratum, or the nearest one with enough fine values of
  /// its class. Nil for a fine value, and where there are too few.
  func worth(of value: ReportedValue, in stratum: Stratum) -> Worth? {
    guard let coarse = value.coarse, !counts.isEmpty else { return nil }
    for (basis, key) in Self.keys(stratum, Class(value, coarse)) {
      guard let mix = counts[key] else { continue }
      let count = mix.values.reduce(0, +)
      guard count >= Self.smallestClass else { continue }
      return Worth(
        basis: basis,
        shares: mix.sorted { $0.key < $1.key }.map { ($0.key, $0.value / count) },
        count: count
      )
    }
    return nil
  }

  private static func keys(_ stratum: Stratum, _ ofClass: Class) -> [(CoarseBasis, Key)] {
    let (app, network) = (stratum.app, stratum.network)
    return [
      (.stratum, Key(app: app, network: network, identifier: stratum.identifier, ofClass: ofClass)),
      (.network, Key(app: app, network: network, identifier: nil, ofClass: ofClass)),
      (.app, Key(app: app, network: nil, identifier: nil, ofClass: ofClass)),
    ]
  }
}
