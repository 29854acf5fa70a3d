internal import ConversionModel
package import PostbackPipeline
package import Statistics
package import TableReading
internal import Tables

/// The fine values of accepted postbacks of the first window, by app.
package struct ReceivedValues: Sendable {
  /// The counts of an app's values.
  struct Counts: Sendable {
    var values = [Int](repeating: 0, count: 64)
    /// The number of postbacks without a fine value.
    var without = 0
  }

  let byApp: [Int64: Counts]
  private static let mostApps = 4096

  init(byApp: [Int64: Counts]) { self.byApp = byApp }

  /// Reads the values from the files of `skan_postbacks`.
  package init(reading files: TableFiles, jobs: Int) async throws(PipelineFailure) {
    var sum: [Int64: Counts] = [:]
    try await files.scan(jobs: jobs) { batch in
      Self.counts(in: batch)
    } take: { part throws(PipelineFailure) in
      for (app, counts) in part where sum[app] != nil || sum.count < Self.mostApps {
        var total = sum[app] ?? Counts()
        for value in counts.values.indices { total.values[value] += counts.values[value] }
        total.without += counts.without
        sum[app] = total
      }
    }
    byApp = sum
  }

  private static func counts(in batch: RawBatch) -> [Int64: Counts] {
    let table = Table.postbacks
    let (app, window, type) = (
      table.place(.appID), table.place(.postbackSequenceIndex), table.place(.conversionType)
    )
    let (value, won) = (table.place(.conversionValue), table.place(.didWin))
    var counts: [Int64: Counts] = [:]
    var row = RowCursor(batch, of: table)
    while row.next() {
      guard let id = row.integer(app), row.integer(window) ?? 0 == 0, row.boolean(won) ?? true,
        row.text(type) != "re-engagement"
      else { continue }
      if let value = row.integer(value), (0...63).contains(value) {
        counts[id, default: Counts()].values[Int(value)] += 1
      } else {
        counts[id, default: Counts()].without += 1
      }
    }
    return counts
  }
}

/// The fine values of devices after 48 hours, by bundle id.
struct DeviceValues {
  private(set) var byBundle: [String: [Int]] = [:]
  /// The end of the rows, in seconds since 1970.
  let lastReceived: Int64
  private static let mostBundles = 4096

  /// Adds a device's value, unless its first window is still open at the end of the rows.
  mutating func add(_ found: (bundleID: String?, firstCall: Int64, value: Int)?) {
    guard let found, let bundle = found.bundleID, found.firstCall + ModelWindow.spans[0].upperBound <= lastReceived,
      byBundle[bundle] != nil || byBundle.count < Self.mostBundles
    else { return }
    byBundle[bundle, default: [Int](repeating: 0, count: 64)][found.value] += 1
  }
}

/// A comparison of the fine values that an app's devices report with those of its postbacks.
package struct PostbackComparison: Sendable {
  package let bundleID: String
  package let appID: Int64
  /// The number of devices whose first window is over.
  package let devices: Int
  /// The numbers of postbacks of the first window with a fine value, and without.
  package let postbacks: Int
  package let postbacksWithoutValue: Int
  /// The test that both come from one distribution; nil if there are too few values.
  package let test: ChiSquare?
  /// The p-value, corrected for all comparisons (Holm).
  package internal(set) var correctedPValue: Double?

  /// Indicates a difference that cannot be chance.
  package var differs: Bool { correctedPValue.map { $0 < 0.01 } ?? false }

  /// Indicates that so many postbacks have no fine value that data tiers can explain a difference: tiers hide the
  /// values of small campaigns.
  package var mayBeTiers: Bool { Double(postbacksWithoutValue) > 0.05 * Double(postbacks + postbacksWithoutValue) }
}

extension ImplementationReport {
  /// Compares devices' values with those of postbacks, and adds the findings. A bundle id belongs to the app whose model
  /// names it, or to the only app if there is one bundle id and one app.
  mutating func compare(_ devices: DeviceValues, with postbacks: ReceivedValues, _ models: Models) {
    var found: [PostbackComparison] = []
    let only = devices.byBundle.count == 1 && postbacks.byApp.count == 1 ? postbacks.byApp.keys.first : nil
    for (bundle, values) in devices.byBundle.sorted(by: { $0.key < $1.key }) {
      guard let app = models.appID(bundleID: bundle) ?? only, let counts = postbacks.byApp[app] else { continue }
      found.append(
        PostbackComparison(
          bundleID: bundle,
          appID: app,
          devices: values.reduce(0, +),
          postbacks: counts.values.reduce(0, +),
          postbacksWithoutValue: counts.without,
          test: ChiSquare(values, against: counts.values)
        )
      )
    }
    let tested = found.indices.filter { found[$0].test != nil }
    let corrected = holmCorrected(tested.compactMap { found[$0].test?.pValue })
    for (place, pValue) in zip(tested, corrected) { found[place].correctedPValue = pValue }
    comparisons = found
    let different = found.filter { $0.differs && !$0.mayBeTiers }
    guard !different.isEmpty else { return }
    var finding = Finding(rule: .postbackCrossCheck, severity: .info)
    finding.devices = different.reduce(0) { $0 + $1.devices }
    finding.rows = different.count
    finding.examples = different.prefix(5).map { comparison in
      Example(
        device: "",
        event: nil,
        file: nil,
        line: nil,
        values: [
          "\(comparison.bundleID): \(comparison.devices) devices, \(comparison.postbacks) postbacks of app \(comparison.appID)"
        ],
        rows: 1
      )
    }
    findings.append(finding)
  }
}
