internal import Base
internal import CopySettlement
internal import DurableFiles
package import PostbackPipeline
package import Statistics
internal import TableReading
internal import Tables

/// The conversion values that one forwarder sent, and their comparison with the devices' own copies by day, as
/// `skan_settled` has them. Postbacks that several forwarders sent are left out, because the table does not tell whose a
/// value is.
package struct ForwardedValues: Sendable {
  /// A span of days with the comparisons in it.
  package struct Step: Sendable {
    /// The first day, as the number of days since 1970-01-01.
    package let day: Int
    /// The postbacks with a value above the device's own, of those with both.
    package let raised: Rate
  }

  /// The name of the forwarder.
  package let forwarder: String
  /// The comparisons by day of receipt of the forwarded copy.
  private var days: [Int: Rate] = [:]
  /// The number of postbacks by fine value, and by the coarse values low, medium and high of those without a fine one.
  package private(set) var fine = [Int](repeating: 0, count: 64)
  package private(set) var coarse = [0, 0, 0]

  /// The number of values.
  package var count: Int { fine.reduce(0, +) + coarse.reduce(0, +) }

  /// All comparisons.
  package var raised: Rate { days.values.reduce(Rate(0, of: 0), +) }

  /// The comparisons in weeks from Monday on, without weeks that have none.
  package var weeks: [Step] {
    var weeks: [Int: Rate] = [:]
    // 1970-01-01 was a Thursday.
    for (day, rate) in days {
      let monday = day - (day + 3) % 7
      weeks[monday] = (weeks[monday] ?? Rate(0, of: 0)) + rate
    }
    return weeks.sorted { $0.key < $1.key }.map { Step(day: $0.key, raised: $0.value) }
  }

  private init(_ forwarder: String) { self.forwarder = forwarder }

  /// Reads the values of an output by forwarder, those with the most first; nil if it does not have `skan_settled`.
  package static func read(in output: String, jobs: Int) async throws(PipelineFailure) -> [ForwardedValues]? {
    let files: TableFiles?
    do throws(FileFailure) { files = try TableFiles(derived: .settled, in: output) } catch { throw .state(error) }
    guard let files else { return nil }
    let reader = ForwardedReader()
    var found: [String: ForwardedValues] = [:]
    try await files.scan(jobs: jobs) {
      reader.read($0)
    } take: { part in
      for (key, count) in part {
        guard found[key.forwarder] != nil || found.count < mostForwarders else { continue }
        found[key.forwarder, default: ForwardedValues(key.forwarder)].add(key, count)
      }
    }
    return found.values.sorted { ($1.count, $0.forwarder) < ($0.count, $1.forwarder) }
  }

  private static let mostForwarders = 1000

  private mutating func add(_ key: ForwardedReader.Key, _ count: Int) {
    if let value = key.value { if value < 64 { fine[value] += count } else { coarse[value - 64] += count } }
    guard let day = key.day, let isRaised = key.isRaised else { return }
    days[day] = (days[day] ?? Rate(0, of: 0)) + Rate(isRaised ? count : 0, of: count)
  }
}

extension Rate {
  /// Creates a rate from counts.
  package init(_ count: Int, of total: Int) { self.init(count: count, total: total) }

  /// The rate of both together.
  package static func + (one: Self, other: Self) -> Self {
    Self(one.count + other.count, of: one.total + other.total)
  }
}

/// Reads rows of `skan_settled` that one forwarder sent.
private struct ForwardedReader: Sendable {
  struct Key: Hashable, Sendable {
    let forwarder: String
    /// The day of receipt; nil if it is not known, or if nothing is compared.
    var day: Int?
    /// Indicates that the value is above the device's own; nil if one of the two has none.
    var isRaised: Bool?
    /// The forwarded fine value, or 64, 65 and 66 for the coarse values; nil for none.
    let value: Int?
  }

  /// The columns of one kind of conversion value.
  private struct Field: Sendable {
    let state, difference, direct, forwarded, effective: Int

    init(
      _ state: ColumnName,
      _ difference: ColumnName,
      _ direct: ColumnName,
      _ forwarded: ColumnName,
      _ effective: ColumnName
    ) {
      func place(_ name: ColumnName) -> Int { Table.settled.place(name) }
      (self.state, self.difference) = (place(state), place(difference))
      (self.direct, self.forwarded, self.effective) = (place(direct), place(forwarded), place(effective))
    }

    var columns: [Int] { [state, difference, direct, forwarded, effective] }
  }

  private let forwarders = Table.settled.place(.forwarders)
  private let received = Table.settled.place(.forwardedReceivedAt)
  private let fine = Field(
    .conversionValueState,
    .conversionValueDifference,
    .conversionValueDirect,
    .conversionValueForwarded,
    .effectiveConversionValue
  )
  private let coarse = Field(
    .coarseConversionValueState,
    .coarseConversionValueDifference,
    .coarseConversionValueDirect,
    .coarseConversionValueForwarded,
    .effectiveCoarseConversionValue
  )

  func read(_ batch: RawBatch) -> [Key: Int] {
    var counts: [Key: Int] = [:]
    var row = RowCursor(batch, of: .settled, only: [forwarders, received] + fine.columns + coarse.columns)
    while row.next() {
      guard let forwarder = row.text(forwarders), !forwarder.contains(";") else { continue }
      let (one, other) = (values(fine, row), values(coarse, row))
      var key = Key(forwarder: forwarder, value: one.forwarded ?? other.forwarded)
      if one.isCompared || other.isCompared, let time = row.time(received) {
        key.day = Int(time / 86_400_000)
        key.isRaised = [one, other].contains { $0.isCompared && $0.forwarded ?? -1 > $0.direct ?? Int.max }
      }
      counts[key, default: 0] += 1
    }
    return counts
  }

  /// The values of the device and of the forwarder, and the fact that both sent a copy that could be compared.
  private func values(
    _ field: Field,
    _ row: borrowing RowCursor
  ) -> (direct: Int?, forwarded: Int?, isCompared: Bool) {
    switch row.text(field.state).flatMap(FieldState.init) {
    case .confirmed:
      // A network that writes a missing value as 0 has the device's null here.
      let value = Self.number(row.text(field.effective))
      return (value, value, true)
    case .absentBoth: return (nil, nil, true)
    case .forwardedOnly: return (nil, Self.number(row.text(field.effective)), false)
    case .conflict:
      let isOfDevices = row.has(FieldDifference.directConflict.rawValue, in: field.difference)
      return (Self.number(row.text(field.direct)), Self.number(row.text(field.forwarded)), !isOfDevices)
    case .directOnly, .unreadable, nil: return (nil, nil, false)
    }
  }

  /// The highest of several values: a fine value, or 64, 65 and 66 for low, medium and high; nil for none.
  private static func number(_ text: String?) -> Int? {
    text?.split(separator: ";").compactMap { word in
      ["low": 64, "medium": 65, "high": 66][word] ?? Int(word).flatMap { (0..<64).contains($0) ? $0 : nil }
    }.max()
  }
}
