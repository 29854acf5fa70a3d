package import CopySettlement
internal import PostbackCopies
package import VendorReports

/// The summary of a settlement as text.
package struct SettleAnswer {
  let summary: SettlementSummary
  /// The counts of vendors' exports of the same postbacks.
  let vendors: [VendorReport]

  package init(summary: SettlementSummary, vendors: [VendorReport] = []) {
    (self.summary, self.vendors) = (summary, vendors)
  }

  private static let mostRows = 40

  /// Tables, each with a title, and the findings that need attention.
  package var text: String {
    var parts = ["postbacks by the certainty of their unsigned values", trust.text(indent: 2)]
    let overall = summary.overall
    if !overall.isEmpty {
      parts.append("copies by ad network, app and forwarder, and their conversion values")
      parts.append(copies(overall).text(indent: 2))
      if overall.count > Self.mostRows { parts.append("and \(overall.count - Self.mostRows) more; see --json") }
    }
    if summary.changes.isEmpty {
      parts.append("Every row decodes to what it decodes to in skan_postbacks.")
    } else {
      parts += ["rows that decode to something else than in skan_postbacks", changes.text(indent: 2)]
    }
    for app in summary.silentApps {
      parts.append(
        """
        The devices of app \(app.appID) sent no copies in \(SettlementSummary.silentDays) days with \(app.postbacks) \
        forwarded postbacks: postback copies are not set up.
        """
      )
    }
    for app in summary.undatedApps {
      parts.append(
        """
        In \(app.postbacks) postbacks of app \(app.appID) a device's own copy contradicts a forwarder's, and the \
        forwarder's counts. If the app's devices send you copies, give the app a direct_copies_since in apps.csv.
        """
      )
    }
    parts += VendorAnswer(vendors: vendors).agreement
    if summary.unreadableBodies > 0 {
      parts.append("copies that could not be read: \(summary.unreadableBodies)")
    }
    return parts.joined(separator: "\n\n")
  }

  private var trust: TextTable {
    var table = TextTable(["trust level", "postbacks", "share"], numbersIn: [1, 2])
    let names = [
      "0 conflict", "1 unauthenticated or unknown sender", "2 forwarders only", "3 devices only", "4 device confirmed",
    ]
    let total = summary.trustLevels.reduce(0, +)
    for level in names.indices.reversed() {
      let count = summary.trustLevels[level]
      table.add(names[level], "\(count)", "\(Share(count, of: total))")
    }
    return table
  }

  private func copies(
    _ overall: [(
      network: String, appID: Int64, all: SettlementSummary.Party, forwarders: [(String?, SettlementSummary.Party)]
    )]
  ) -> TextTable {
    var table = TextTable(
      [
        "network", "app", "forwarder", "direct", "forwarded", "both", "no direct", "not forwarded", "compared", "agree",
        "raised", "revenue effect",
      ],
      numbersIn: Set(3...10)
    )
    let order = overall.indices.sorted { (overall[$1].all.postbacks, $0) < (overall[$0].all.postbacks, $1) }
    for place in order.prefix(Self.mostRows) {
      let group = overall[place]
      table.add(row(group.network, "\(group.appID)", "all", group.all))
      for (forwarder, counts) in group.forwarders { table.add(row("", "", forwarder ?? "(not named)", counts)) }
    }
    return table
  }

  private func row(_ network: String, _ app: String, _ forwarder: String, _ party: SettlementSummary.Party) -> [String]
  {
    let counts = party.counts
    let compared = counts.fields[.conversionValue]
    let effect = counts.revenueEffect.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return [
      network, app, forwarder, "\(counts.direct)", "\(counts.forwarded)", "\(counts.both)", "\(party.missingDirect)",
      "\(party.missingForwarded)", "\(compared?.compared ?? 0)",
      compared.map { "\(Share($0.agreeing, of: $0.compared))" } ?? "",
      counts.changedValues > 0 ? "\(Share(counts.raisedValues, of: counts.changedValues))" : "",
      effect.joined(separator: ", "),
    ]
  }

  private var changes: TextTable {
    var table = TextTable(["app", "currency", "rows", "revenue before", "after"], numbersIn: [2, 3, 4])
    for (key, change) in summary.changes {
      table.add("\(key.appID)", key.currency ?? "", "\(change.rows)", "\(change.before)", "\(change.after)")
    }
    return table
  }
}
