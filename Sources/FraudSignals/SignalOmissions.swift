internal import Base
internal import LookupTables
internal import PostbackCopies
internal import Statistics

/// The tests that could not be made, with the reason and the remedy.
struct SignalOmissions {
  private let counts: SignalCounts
  private let made: Set<SignalName>
  private let bases: Set<SignalBasis>

  init(_ counts: SignalCounts, _ tests: [SignalTest]) {
    self.counts = counts
    made = Set(tests.map(\.name))
    bases = Set(tests.map(\.basis))
  }

  /// Tests that were not made at all, then what the others did not look at.
  func all() -> [SignalReport.Omission] {
    let missing = SignalName.allCases.filter { !made.contains($0) }
    return missing.map { name in
      guard isWithoutEvent(name) else { return SignalReport.Omission(name: name, reason: reason(name)) }
      let reason = "It was looked for, and no record of a party with a name has it."
      return SignalReport.Omission(name: name, reason: reason, foundNone: true)
    }
  }

  /// The parts that tests did not look at, although they were made.
  func partial() -> [SignalReport.Omission] {
    var found = ofOlderTables
    if !bases.contains(.sameCampaign) {
      let reason =
        counts.values.hasSharedCampaign
        ? """
        In the campaigns that several forwarders send, postbacks with a device's copy, or with another sender's of the same value, \
        are compared by the tests of copies. Not two forwarders have \(SignalRates.leastRecords) others each of the same campaigns, \
        days and kinds, so that none is compared with another there.
        """
        : """
        No campaign has \(SignalRates.leastRecords) postbacks each of two forwarders, so that no forwarder is compared \
        with another in the same campaign. Have a partner forward postbacks of the networks, too.
        """
      for name: SignalName in [.fineValues, .coarseValues, .inventedNulls] where made.contains(name) {
        found.append(SignalReport.Omission(name: name, reason: reason))
      }
    }
    if made.contains(.countries), counts.values.targeted.isEmpty {
      let reason =
        counts.values.targets.isEmpty
        ? """
        No campaign is known to target one country alone, so that networks are only compared with each other. Give \
        target_countries in the lookup tables, and run postback enrich.
        """
        : """
        Each campaign with a target has had several countries, by the rows of the lookup tables, so that networks are only \
        compared with each other.
        """
      found.append(SignalReport.Omission(name: .countries, reason: reason))
    }
    let doubtful = leftOut(.heldBack)
    if !doubtful.isEmpty {
      let reason = """
        On some days, in all apps or in one, a tenth or more of the copies of several forwarders came days after the other sender's, so that \
        the receiver's clock or the times of its files may have been wrong. All copies of these days are left out: \(Self.list(doubtful)). \
        Check the times of receipt of the devices' copies.
        """
      found.append(SignalReport.Omission(name: .heldBack, reason: reason))
    }
    let silent = leftOut(.missingForwarded)
    if !silent.isEmpty {
      let reason = """
        Postbacks of apps, windows and versions of which a network forwarded none, or none before or after, were not expected of it: \
        \(Self.list(silent)). If they are agreed, ask the network.
        """
      found.append(SignalReport.Omission(name: .missingForwarded, reason: reason))
    }
    for (field, words) in zip(DeviceFields.all, ["fine value", "coarse value", "country"]) {
      let lost = counts.deviceFields.unwitnessed(field)
      guard !lost.isEmpty else { continue }
      let reason = """
        In some apps, windows or versions no copy of a device has a \(words), or fewer have one than before while as many of the forwarders' \
        have, so that those of forwarders were not compared: \(Self.list(lost.map(Self.words))). See if what receives copies of devices \
        keeps the field.
        """
      found.append(SignalReport.Omission(name: DeviceFields.test(of: field), reason: reason))
    }
    let filled = counts.deviceFields.zeroFilled
    if !filled.isEmpty {
      let reason = """
        In some apps nearly all copies of devices have a fine value of 0 where those of forwarders have none, so that these were not \
        compared: \(Self.list(filled.map { "\($0.count) of the app \($0.app)" })). See if what receives copies of devices writes a \
        missing value as 0.
        """
      for name in [SignalName.loweredValues, .inventedNulls] {
        found.append(SignalReport.Omission(name: name, reason: reason))
      }
    }
    let small = counts.rates.entries.filter {
      $0.key.name == .impossibleFields && $0.key.party.kind == .forwarder
        && $0.value.series.rate.total < SignalRates.leastRecords
    }
    let names = small.keys.map(\.party.name).sorted()
    if !names.isEmpty {
      let reason = """
        These forwarders have fewer than \(SignalRates.leastRecords) postbacks: \(Self.list(names)). A longer span has more.
        """
      found.append(SignalReport.Omission(name: .impossibleFields, reason: reason))
    }
    return found
  }

  /// The numbers of the records that a test leaves out, with the parties, the largest first.
  private func leftOut(_ name: SignalName) -> [String] {
    counts.rates.entries.filter { $0.key.name == name && $0.value.leftOut > 0 }
      .sorted { ($1.value.leftOut, $0.key.party.name) < ($0.value.leftOut, $1.key.party.name) }
      .map { "\($0.value.leftOut) of \($0.key.party.name)" }
  }

  /// The number of copies of an app that were not compared, and the day from which on a field was lost.
  private static func words(_ lost: (app: String, count: Int, since: Int32?)) -> String {
    "\(lost.count) of the app \(lost.app)" + (lost.since.map { ", lost since \(Timestamp.name(ofDay: Int($0)))" } ?? "")
  }

  /// The first five of some names.
  private static func list(_ names: [String]) -> String {
    names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
  }

  /// The parts that tests did not look at because tables are older than the postbacks.
  private var ofOlderTables: [SignalReport.Omission] {
    let tables: [(name: String, count: Int, tests: [SignalName], consequence: String)] = [
      (
        "skan_settled", counts.settled, [.fineValues, .coarseValues, .inventedNulls],
        ", and of the others the copy that was processed first stands for the one that counts"
      ),
      ("skan_enriched", counts.enriched, [.unknownCampaigns, .inactiveCampaigns, .countries], ""),
    ]
    return tables.filter { $0.count > 0 && $0.count < counts.postbacks }.flatMap { table in
      let share = "\(table.name) has \(table.count) of these \(counts.postbacks) postbacks\(table.consequence)."
      return table.tests.map { test in
        SignalReport.Omission(name: test, reason: "\(share) Bring it up to date with postback refresh.")
      }
    }
  }

  /// Indicates that enough records were counted, of which none has the property.
  private func isWithoutEvent(_ name: SignalName) -> Bool {
    counts.rates.entries.contains { $0.key.name == name && $0.value.series.rate.total >= SignalRates.leastRecords }
  }

  /// The reason for which no forwarder has enough records of a comparison with devices' own copies.
  private func reasonOfDeviceCopies(_ name: SignalName) -> String {
    let least = SignalRates.leastRecords
    func records(_ name: SignalName) -> [String: Int] {
      var records: [String: Int] = [:]
      for (key, entry) in counts.rates.entries where key.name == name && key.party.kind == .forwarder {
        records[key.party.name] = entry.series.rate.total
      }
      return records
    }
    guard records(.deviceCopiesDisagree).values.contains(where: { $0 >= least }) else {
      return """
        No forwarder has \(least) postbacks of which a device's own copy came, too. Have the app's devices send copies \
        (NSAdvertisingAttributionReportEndpoint), and give the app a direct_copies_since in apps.csv.
        """
    }
    // A device's copy has a value or none.
    let compared = records(.raisedValues).merging(records(.addedValues), uniquingKeysWith: +)
    guard compared.values.contains(where: { $0 >= least }) else {
      return """
        No forwarder has \(least) won postbacks that are compared with a device's own copy. Values of devices count from the \
        direct_copies_since in apps.csv on, if postback settle has run, and copies of devices do not contradict each other.
        """
    }
    let property =
      switch name {
      case .addedValues: "has no conversion value"
      case .changedCountries: "has a country, or its own copy has one"
      default: "has a conversion value"
      }
    return """
      No forwarder has \(least) postbacks that are compared with a device's own copy and of which this copy \(property).
      """
  }

  private func reason(_ name: SignalName) -> String {
    let least = SignalRates.leastRecords
    switch name {
    case .raisedValues, .loweredValues, .addedValues, .changedCountries: return reasonOfDeviceCopies(name)
    case .raisedRevenue:
      return
        "No forwarder has \(least) postbacks of which a device's own copy came, too, and whose values mean revenue."
    case .heldBack where !leftOut(name).isEmpty:
      return "No forwarder has \(least) postbacks left: see partly_tested."
    case .heldBack:
      return "No forwarder has \(least) postbacks of which another sender's copy came, too: a device's or a partner's."
    case .deviceCopiesDisagree: return "No party has \(least) postbacks of which a device's own copy came."
    case .missingForwarded:
      return """
        There are not two networks with \(least) postbacks of which a device's own copy came in the time in which they \
        forward.
        """
    case .withheld:
      return """
        No network has \(least) postbacks that it did not forward beside forwarded ones of the same campaign and day.
        """
    case .bursts: return "No campaign has 100 postbacks of one forwarder on four days."
    case .unknownCampaigns, .inactiveCampaigns:
      return counts.enriched > 0
        ? "Too few postbacks were looked up."
        : "There is no skan_enriched of these postbacks. Run postback enrich with the lookup tables, and give one folder."
    case .fineValues, .coarseValues, .inventedNulls, .redownloads, .viewThrough, .countries:
      return """
        There are not two parties with enough campaigns and \(least) values: with fewer than two campaigns against five, or \
        three against four, no difference can be told from chance.
        """
    default: return "No party has \(least) records."
    }
  }
}
