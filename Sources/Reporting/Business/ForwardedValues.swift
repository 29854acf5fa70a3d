package import DerivedTables
internal import CopySettlement
internal import DurableFiles
internal import PostbackCopies
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
  package var raised: Rate { days.values.reduce(into: Rate()) { $0 += $1 } }

  /// The comparisons in weeks from Monday on, without weeks that have none.
  package var weeks: [Step] {
    var weeks: [Int: Rate] = [:]
    // 1970-01-01 was a Thursday.
    for (day, rate) in days {
      let monday = day - (day + 3) % 7
      weeks[monday, default: Rate()] += rate
    }
    return weeks.sorted { $0.key < $1.key }.map { Step(day: $0.key, raised: $0.value) }
  }

  fileprivate init(_ forwarder: String) { self.forwarder = forwarder }

  /// Reads the values of an output by forwarder, those with the most first; nil if it does not have `skan_settled`. With a cache
  /// only parts that are not in it are read.
  package static func read(
    in output: String,
    cache: PartCache? = nil,
    jobs: Int
  ) async throws(PipelineFailure) -> [ForwardedValues]? {
    let parts = try PipelineFailure.state { () throws(FileFailure) in
      try TableFiles(derived: .settled, in: output)?.divided()
    }
    guard let parts else { return nil }
    let reader = ForwardedReader()
    var count = ForwardedCount()
    let merging = PartMerging(.forwarded, empty: count, cache: cache, jobs: jobs)
    try await merging.add(parts, to: &count) { reader.read($0) }
    return count.values.sorted { ($1.count, $0.forwarder) < ($0.count, $1.forwarder) }
  }

  /// Adds a postback with a value, and with its day if it was compared.
  fileprivate mutating func add(value: Int?, day: Int?, isRaised: Bool) {
    if let value { if value < 64 { fine[value] += 1 } else { coarse[value - 64] += 1 } }
    if let day { days[day, default: Rate()].add(isRaised) }
  }

  fileprivate static func += (left: inout Self, right: Self) {
    for (day, rate) in right.days { left.days[day, default: Rate()] += rate }
    for value in left.fine.indices { left.fine[value] += right.fine[value] }
    for value in left.coarse.indices { left.coarse[value] += right.coarse[value] }
  }

  fileprivate func encode(_ writer: inout ResultWriter) {
    writer.append(forwarder)
    for count in fine + coarse { writer.append(count) }
    writer.append(days) { writer, day in
      for number in [day.key, day.value.count, day.value.total] { writer.append(number) }
    }
  }

  /// Reads what `encode` has written.
  fileprivate init(_ reader: inout ResultReader) {
    self.init(reader.text())
    for value in fine.indices { fine[value] = reader.count() }
    for value in coarse.indices { coarse[value] = reader.count() }
    days = reader.dictionary { ($0.count(), Rate(count: $0.count(), total: $0.count())) }
  }
}

/// The values of the forwarders, in the order in which they came first. A limited number of them is kept.
private struct ForwardedCount: PartResult {
  private(set) var values: [ForwardedValues] = []
  private var places: [String: Int] = [:]
  private(set) var isWhole = true
  /// The steps that made the table have told of lines that are not rows.
  var unreadable: UnreadableRows { UnreadableRows() }

  private static let mostForwarders = 1000

  init() {}

  /// The values of a forwarder, changed; none if there are too many forwarders.
  mutating func update(_ forwarder: String, _ body: (inout ForwardedValues) -> Void) {
    if let place = places[forwarder] { return body(&values[place]) }
    guard values.count < Self.mostForwarders else {
      isWhole = false
      return
    }
    places[forwarder] = values.count
    values.append(ForwardedValues(forwarder))
    body(&values[values.count - 1])
  }

  mutating func merge(_ later: ForwardedCount) {
    for found in later.values { update(found.forwarder) { $0 += found } }
    isWhole = isWhole && later.isWhole
  }

  func encode(_ writer: inout ResultWriter) { writer.append(values) { $1.encode(&$0) } }

  init(_ reader: inout ResultReader) {
    values = reader.array { ForwardedValues(&$0) }
    for (place, found) in values.enumerated() { places[found.forwarder] = place }
  }
}

/// Reads rows of `skan_settled` that one forwarder sent.
private struct ForwardedReader: Sendable {
  /// The columns of one kind of conversion value.
  private struct Field: Sendable {
    let state, difference, direct, forwarded, effective: Int

    init(_ field: UnsignedField, _ effective: ColumnName) {
      func place(_ name: ColumnName) -> Int { Table.settled.place(name) }
      let names = field.columnNames
      (state, difference) = (place(names.state), place(names.difference))
      (direct, forwarded, self.effective) = (place(names.direct), place(names.forwarded), place(effective))
    }

    var columns: [Int] { [state, difference, direct, forwarded, effective] }
  }

  private let forwarders = Table.settled.place(.forwarders)
  private let received = Table.settled.place(.forwardedReceivedAt)
  private let fine = Field(.conversionValue, .effectiveConversionValue)
  private let coarse = Field(.coarseConversionValue, .effectiveCoarseConversionValue)

  func read(_ batch: RawBatch) -> ForwardedCount {
    var found = ForwardedCount()
    var row = RowCursor(batch, of: .settled, only: [forwarders, received] + fine.columns + coarse.columns)
    while row.next() {
      guard let forwarder = row.text(forwarders), !forwarder.contains(";") else { continue }
      let (one, other) = (values(fine, row), values(coarse, row))
      let isCompared = one.isCompared || other.isCompared
      let day = isCompared ? row.time(received).map { Int($0 / 86_400_000) } : nil
      let isRaised = [one, other].contains { $0.isCompared && $0.forwarded ?? -1 > $0.direct ?? Int.max }
      // The forwarded fine value, or 64, 65 and 66 for the coarse values; nil for none.
      found.update(forwarder) { $0.add(value: one.forwarded ?? other.forwarded, day: day, isRaised: isRaised) }
    }
    return found
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
