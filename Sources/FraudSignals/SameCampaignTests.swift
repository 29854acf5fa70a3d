internal import LookupTables
internal import Statistics

/// The comparison of a forwarder's postbacks with those of the same campaigns that came through other forwarders.
///
/// The hypothesis is that among the postbacks of one campaign, day, window, model and segment, the values do not depend on the sender:
/// Apple sends what the ad brought, whoever forwards it. If two forwarders differ in their values, either may have changed them. So it
/// takes two others, and values that are higher than those of each, to suspect one.
struct SameCampaignTests {
  private let rows: [(key: SenderValues.Key, counts: SenderValues.Counts)]
  /// The forwarders of each campaign that came through more than one.
  private let senders: [Int32: Set<Int32>]
  private let names: [String]
  /// The forwarders whose copies may have a 0 in the place of a missing value: next to none of the first window has no value at all.
  private let fillers: Set<Int32>

  init(_ values: SenderValues) {
    rows = values.rows
    var senders: [Int32: Set<Int32>] = [:]
    for (key, _) in rows { senders[key.group.campaign, default: []].insert(key.forwarder) }
    self.senders = senders.filter { $0.value.count > 1 }
    names = values.forwarders.values
    var empty: [Int32: Rate] = [:]
    for (key, counts) in rows where key.group.window == 0 {
      let coarse = counts.coarse.indices.reduce(0) { $0 + Int(counts.coarse[$1]) }
      empty[key.forwarder, default: Rate()] += Rate(count: max(0, Int(counts.nulls) - coarse), total: Int(counts.total))
    }
    fillers = Set(empty.filter { $0.value.count * 100 < $0.value.total }.keys)
  }

  /// All tests, of which some are not possible.
  func all() -> [SignalTest] {
    var others: [Int32: Set<Int32>] = [:]
    for group in senders.values { for forwarder in group { others[forwarder, default: []].formUnion(group) } }
    let all = others.sorted { $0.key < $1.key }
    return [ClusterMeasure.fine, .coarse, .nulls].flatMap { measure in
      all.compactMap { forwarder, others in test(measure, forwarder, among: others) }
    }
  }

  /// The test of a forwarder against all others of its campaigns, with the evidence against the one that it differs least from.
  private func test(_ measure: ClusterMeasure, _ forwarder: Int32, among others: Set<Int32>) -> SignalTest? {
    guard var test = test(measure, forwarder, against: nil) else { return nil }
    let pairs = others.sorted().filter { $0 != forwarder }.compactMap { self.test(measure, forwarder, against: $0) }
    if pairs.count < 2 {
      test = pairs.first ?? test
      test.isOfOnePair = true
    } else if let weakest = pairs.max(by: { $0.pValue < $1.pValue }) {
      (test.pValue, test.course) = (weakest.pValue, weakest.course)
    }
    return test
  }

  /// The test of a forwarder against another one, or against all others.
  ///
  /// Many write a missing fine value as 0, and others need not. So the evidence beside somebody who may do so is the lesser one of both
  /// readings.
  private func test(_ measure: ClusterMeasure, _ forwarder: Int32, against other: Int32?) -> SignalTest? {
    guard var test = test(measure, forwarder, against: other, zeroIsMissing: false) else { return nil }
    let mayBeFilled = other.map(fillers.contains) ?? !fillers.subtracting([forwarder]).isEmpty
    guard measure != .coarse, mayBeFilled,
      let second = self.test(measure, forwarder, against: other, zeroIsMissing: true), second.pValue > test.pValue
    else { return test }
    (test.pValue, test.course) = (second.pValue, second.course)
    return test
  }

  /// The test with one reading of a fine value of 0.
  private func test(
    _ measure: ClusterMeasure,
    _ forwarder: Int32,
    against other: Int32?,
    zeroIsMissing: Bool
  ) -> SignalTest? {
    var (course, evidence) = (EvidenceCourse(), TiltedEvidence())
    var (own, others) = (Rate(), Rate())
    var (score, start) = (0.0, 0)
    while start < rows.count {
      let first = rows[start].key
      guard let senders = senders[first.group.campaign], senders.contains(forwarder),
        senders.contains(other ?? forwarder)
      else {
        start += 1
        continue
      }
      var end = start
      var (ownCounts, otherCounts) = (SenderValues.Counts(), SenderValues.Counts())
      func group(_ key: SenderValues.Key) -> SenderValues.Group {
        measure.isRanked && !zeroIsMissing ? key.group : key.group.ofAllModels
      }
      while end < rows.count, group(rows[end].key) == group(first), rows[end].key.day == first.day {
        if rows[end].key.forwarder == forwarder {
          ownCounts += rows[end].counts
        } else if rows[end].key.forwarder == other ?? rows[end].key.forwarder {
          otherCounts += rows[end].counts
        }
        end += 1
      }
      start = end
      let mine = ownCounts.histogram(measure, zeroIsMissing: zeroIsMissing)
      let theirs = otherCounts.histogram(measure, zeroIsMissing: zeroIsMissing)
      guard mine.contains(where: { $0 > 0 }), theirs.contains(where: { $0 > 0 }) else { continue }
      let scores = measure.isRanked ? RankScores.of(zip(mine, theirs).map(+)) : [0, 1]
      if measure.isRanked {
        evidence.addScores(scores, own: mine, others: theirs)
      } else {
        evidence.add(Rate(histogram: mine), among: Rate(histogram: theirs))
      }
      own += RankScores.top(mine, scores)
      others += RankScores.top(theirs, scores)
      score += RankScores.excess(mine, theirs)
      if course.days.last?.day == first.day { course.removeLast() }
      course.append(first.day, evidence.log)
    }
    guard min(own.total, others.total) >= SignalRates.leastRecords, measure.isRanked || own.count + others.count > 0
    else { return nil }
    var test = SignalTest(
      name: measure.name,
      basis: .sameCampaign,
      method: .strata,
      party: SignalParty(kind: .forwarder, name: names[Int(forwarder)]),
      own: own,
      others: others,
      effect: measure.isRanked ? score / Double(own.total) : (own.share ?? 0) - (others.share ?? 0),
      pValue: course.pValue
    )
    test.course = course
    return test
  }
}

/// Scores of values by their ranks.
enum RankScores {
  /// The share of lower values less the share of higher ones, for each value.
  static func of(_ histogram: [Int]) -> [Double] {
    let all = Double(histogram.reduce(0, +))
    var below = 0.0
    return histogram.map { count in
      defer { below += Double(count) }
      return (2 * below + Double(count)) / all - 1
    }
  }

  /// The values above the middle.
  static func top(_ histogram: [Int], _ scores: [Double]) -> Rate {
    let top = zip(histogram, scores).reduce(0) { $0 + ($1.1 > 0 ? $1.0 : 0) }
    return Rate(count: top, total: histogram.reduce(0, +))
  }

  /// The chance that a value is higher than one of the others less the chance that it is lower, as a sum over the values.
  static func excess(_ own: [Int], _ others: [Int]) -> Double {
    zip(own, of(others)).reduce(0) { $0 + Double($1.0) * $1.1 }
  }
}

extension Rate {
  /// The rate of the second of two values.
  fileprivate init(histogram: [Int]) { self.init(count: histogram[1], total: histogram[0] + histogram[1]) }
}
