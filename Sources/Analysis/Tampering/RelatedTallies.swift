internal import PostbackPipeline

/// How many postbacks have a signature or a transaction in common, and whether they say the same.
struct RelatedTallies {
  /// A postback, as far as it is counted.
  struct Sighting: Sendable {
    let signature: Int?
    let transaction: Int?
    let content: Int

    init(_ postback: RelatedPostback) {
      signature = postback.signature
      transaction = postback.transaction
      content = postback.content
    }
  }

  private struct Tally {
    let first: Sighting
    /// Its place among all first ones: what is as frequent as another comes in the order of the tables.
    let order: Int
    var count = 0
    var isOfOneContent = true
    var isOfOneTransaction = true

    mutating func add(_ sighting: Sighting) {
      count += 1
      isOfOneContent = isOfOneContent && sighting.content == first.content
      isOfOneTransaction = isOfOneTransaction && sighting.transaction == first.transaction
    }
  }

  /// Tallies by what stands for a signature, or a transaction.
  private struct Index {
    private(set) var tallies: [Int: Tally] = [:]
    private(set) var isFull = false

    private static let mostTallies = 500_000

    mutating func add(_ sighting: Sighting, _ key: Int?) {
      guard let key else { return }
      if tallies[key] != nil || tallies.count < Self.mostTallies {
        let order = tallies.count
        tallies[key, default: Tally(first: sighting, order: order)].add(sighting)
      } else {
        isFull = true
      }
    }
  }

  private var bySignature = Index()
  private var byTransaction = Index()

  mutating func add(_ sightings: [Sighting]) {
    for sighting in sightings {
      bySignature.add(sighting, sighting.signature)
      byTransaction.add(sighting, sighting.transaction)
    }
  }

  /// The transactions that were seen.
  var transactions: Set<Int> { Set(byTransaction.tallies.keys) }

  /// Whether nothing was left out for being too much.
  var isComplete: Bool { !bySignature.isFull && !byTransaction.isFull }

  private func groups(_ bond: RelatedRejects.Bond) -> [Int: Tally] {
    switch bond {
    case .signature: bySignature.tallies.filter { !$0.value.isOfOneTransaction }
    case .transaction: byTransaction.tallies.filter { !$0.value.isOfOneContent }
    }
  }

  /// How many groups there are.
  var counts: [RelatedRejects.Bond: Int] {
    Dictionary(uniqueKeysWithValues: RelatedRejects.Bond.allCases.map { ($0, groups($0).count) })
  }

  /// The groups with the most postbacks, by signature and then by transaction, at most so many of each.
  func largest(_ limit: Int) -> [(bond: RelatedRejects.Bond, key: Int)] {
    RelatedRejects.Bond.allCases.flatMap { bond in
      groups(bond).sorted { ($1.value.count, $0.value.order) < ($0.value.count, $1.value.order) }.prefix(limit).map {
        (bond, $0.key)
      }
    }
  }
}
