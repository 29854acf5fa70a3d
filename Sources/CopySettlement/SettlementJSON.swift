internal import Base
package import ConversionModel
internal import DerivedTables
package import JSON
internal import PostbackCopies
internal import Statistics
internal import Tables

extension SettlementSummary {
  /// The summary as a JSON object.
  package var json: JSONValue {
    .object([
      .init("rows", .integer(rows.settled)),
      .init("event_rows", .integer(rows.events)),
      .init("copies_read", .integer(copies)),
      .init("unreadable_copies", .integer(unreadableBodies)),
      .init("as_of", asOf.map { .string("\(Timestamp(milliseconds: $0))") } ?? .null),
      .init("grace_hours", .integer(graceHours)),
      .init("lookup_digest", .string(lookupDigest)),
      .init("models_digest", .string(modelsDigest)),
      .init("trust_levels", .array(trustLevels.map { .integer($0) })),
      .init(
        "changes",
        .array(
          changes.map { key, change in
            .object([
              .init("app_id", .integer(Int(key.appID))),
              .init("currency", .text(key.currency)),
              .init("rows", .integer(change.rows)),
              .init("revenue_before", .number("\(change.before)")),
              .init("revenue_after", .number("\(change.after)")),
            ])
          }
        )
      ),
      .init("apps_without_direct_copies", .array(silentApps.map(\.json))),
      .init("apps_without_direct_copies_since", .array(undatedApps.map(\.json))),
      .init("groups", .array(groups.map(\.json))), replacement.member,
    ])
  }
}

extension SettlementSummary.AppCount {
  fileprivate var json: JSONValue {
    .object([.init("app_id", .integer(Int(appID))), .init("postbacks", .integer(postbacks))])
  }
}

extension SettlementSummary.Group {
  fileprivate var json: JSONValue {
    let monday = key.week.map { Timestamp.name(ofDay: $0) }
    let head: [JSONValue.Member] = [
      .init("network_name", .string(key.network)),
      .init("app_id", .integer(Int(key.appID))),
      .init("week", .text(monday)),
    ]
    let parties: [JSONValue] = forwarders.map { forwarder, counts in
      let name: JSONValue = .text(forwarder)
      return .object([.init("forwarder", name)] + counts.members)
    }
    return .object(head + all.members + [.init("forwarders", .array(parties))])
  }
}

extension SettlementSummary.Party {
  /// The share of the postbacks of which there is a device's own copy and another one; nil if there are none.
  package var matchRate: Amount? { Amount.quotient(Amount(counts.both), by: Amount(postbacks)) }

  /// The mean of the differences of fine conversion values, a forwarder's less the device's; nil if none differ.
  package var meanChange: Amount? { Amount.quotient(Amount(counts.valueChange), by: Amount(counts.changedValues)) }

  fileprivate var members: [JSONValue.Member] {
    let effects = counts.revenueEffect.sorted { $0.key < $1.key }.map {
      JSONValue.Member($0.key, .number("\($0.value)"))
    }
    let fields = UnsignedField.allCases.compactMap { field in
      counts.fields[field].map { JSONValue.Member(field.name.rawValue, $0.json) }
    }
    let others = [FieldDifference.selfConflict, .forwardersDiffer, .directConflict]
      .map { JSONValue.Member($0.rawValue, .integer(counts.otherConflicts[$0] ?? 0)) }
    let members: [JSONValue.Member] = [
      .init("direct", .integer(counts.direct)),
      .init("forwarded", .integer(counts.forwarded)),
      .init("both", .integer(counts.both)),
      .init("match_rate", .amount(matchRate)),
      .init("missing_direct", .integer(missingDirect)),
      .init("missing_forwarded", .integer(missingForwarded)),
      .init("pending", .integer(pending)),
      .init("fields", .object(fields)),
      .init("mean_value_change", .amount(meanChange)),
      .init(
        "raised_share",
        .amount(Amount.quotient(Amount(counts.raisedValues), by: Amount(counts.changedValues)))
      ),
      .init("revenue_effect", .object(effects)),
    ]
    return members + others
  }
}

extension FieldCounts {
  fileprivate var json: JSONValue {
    let rate = WilsonRate(agreeing, of: compared)
    let head: [JSONValue.Member] = [.init("compared", .integer(compared)), .init("agree", .integer(agreeing))]
    let kinds = [FieldDifference.changed, .dropped, .added, .zeroForNull]
      .map { JSONValue.Member($0.rawValue, .integer(differences[$0] ?? 0)) }
    let agreement: [JSONValue.Member] = [
      .init("agreement", .amount(Amount.quotient(Amount(agreeing), by: Amount(compared)))),
      .init("agreement_low", .amount(rate.interval.flatMap { Amount(estimate: $0.low) })),
      .init("agreement_high", .amount(rate.interval.flatMap { Amount(estimate: $0.high) })),
    ]
    return .object(head + kinds + agreement)
  }
}

extension JSONValue {
  fileprivate static func amount(_ amount: Amount?) -> JSONValue { amount.map { .number("\($0)") } ?? .null }
}
