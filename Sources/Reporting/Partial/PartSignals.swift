internal import DurableFiles
internal import PostbackPipeline
internal import Tables
internal import CopySettlement
internal import DerivedTables
internal import PostbackCopies
internal import TableReading
internal import FraudSignals

/// The counts for the signals of all parts, from those of each part in a cache.
///
/// Sums of many parts are kept too, so that parts that stay the same are not added up each time.
final class PartSignals {
  /// The number of counts in a sum that is kept.
  private static let width = 16

  private let cache: PartCache
  private let counter: PartCalculation<SignalCounter>
  /// The names of the counts of which a sum is made, by its name.
  private var summands: [String: [String]] = [:]
  /// The places of the parts of `skan_postbacks` and of `skan_rejects`, by the names of their counts.
  private var places: [String: Int] = [:]
  private var rejectPlaces: [String: Int] = [:]

  init(_ counter: PartCalculation<SignalCounter>, in cache: PartCache) {
    (self.counter, self.cache) = (counter, cache)
  }

  /// Returns the counts of all postbacks, whose derived rows are given, and of all rejects.
  func counts(
    accepted: TableFiles,
    rejects: TableFiles,
    settled: TableFiles?,
    enriched: TableFiles?,
    jobs: Int
  ) async throws(PipelineFailure) -> SignalCounts {
    let parts = try PipelineFailure.state { () throws(FileFailure) in try accepted.divided() }
    let copies = try await PartCopies(parts, among: rejects, in: cache, jobs: jobs)
    var pass = PartPass(copies, jobs: jobs)
    pass.signals = counter
    let settledFiles = try SettledFiles.byPart(settled, events: nil)
    let enrichedFiles = try PipelineFailure.state { () throws(FileFailure) in try SettledFiles.byNumber(enriched) }
    func find(_ place: Int) async throws(PipelineFailure) -> String {
      let number = parts[place].number
      return try await pass.results(of: place, settledFiles[number], enriched: enrichedFiles[number]).signals ?? ""
    }
    var names: [String] = []
    for place in parts.indices {
      names.append(try await find(place))
      places[names[place]] = place
    }
    var rejectNames: [String] = []
    for (place, part) in copies.rejects.enumerated() {
      rejectNames.append(try counter.name(.signals, [part.identity], in: cache))
      rejectPlaces[rejectNames[place]] = place
    }
    var all = SignalCounts()
    for name in try roots(of: names) + (try roots(of: rejectNames)) {
      all.merge(
        try await sum(name) { name throws(PipelineFailure) in
          if let place = self.rejectPlaces[name] {
            try await self.count(copies.rejects[place].files, name, jobs: jobs)
          } else if let place = self.places[name] {
            _ = try await find(place)
          }
        }
      )
    }
    return all
  }

  /// The names of the sums, or of single counts, of which all are made.
  private func roots(of names: [String]) throws(PipelineFailure) -> [String] {
    cache.use(names)
    var (names, rest) = (names, [String]())
    while names.count >= Self.width {
      let whole = names.count / Self.width * Self.width
      rest += names[whole...]
      var sums: [String] = []
      for start in stride(from: 0, to: whole, by: Self.width) {
        let group = Array(names[start..<start + Self.width])
        let sum = try counter.name(.signals, group, in: cache)
        summands[sum] = group
        sums.append(sum)
      }
      cache.use(sums)
      names = sums
    }
    return names + rest
  }

  /// Returns counts with a name. Those of a part that were lost are made again by `make`.
  private func sum(
    _ name: String,
    _ make: (String) async throws(PipelineFailure) -> Void
  ) async throws(PipelineFailure) -> SignalCounts {
    if let bytes = try cache.read(name, UInt8.self) { return SignalCounts(bytes) }
    var sum = SignalCounts()
    if let summands = summands[name] {
      for summand in summands { sum.merge(try await self.sum(summand, make)) }
      try cache.add(name, sum.bytes)
    } else {
      try PipelineFailure.state { () throws(FileFailure) in try cache.remove(name) }
      try await make(name)
      if let bytes = try cache.read(name, UInt8.self) { sum = SignalCounts(bytes) }
    }
    return sum
  }

  /// Counts the rejects of a part.
  private func count(_ files: TableFiles, _ name: String, jobs: Int) async throws(PipelineFailure) {
    let counter = counter.calculation
    var counts = SignalCounts()
    try await files.scan(jobs: jobs) { batch in
      counter.count(rejects: batch)
    } take: { found in
      counts.merge(found)
    }
    try cache.add(name, counts.bytes)
  }
}

extension PartCalculation<SignalCounter> {
  init(lateAfterDays days: Int, in cache: PartCache) throws(PipelineFailure) {
    self.init(
      SignalCounter(lateAfterDays: days),
      digest: try cache.digest(["signals", "\(days)"])
    )
  }
}
