internal import Base
package import ConversionModel
package import FraudSignals
internal import LookupTables
package import SKAdNetwork
internal import Statistics

/// A test of signals as sentences for an analyst.
package struct SignalSentence {
  package let test: SignalTest

  package init(test: SignalTest) { self.test = test }

  /// The party, the numbers, the money and the time, as a sentence.
  package var text: String {
    if test.name == .deviceCopiesDisagree { return disagreement }
    var sentence = "\(party) \(finding) (\(share(test.own))\(others))"
    if let change = test.change, change.count > 0 {
      sentence += ", most often \(FieldWords.name(change.field)) from \(value(change.from)) to \(value(change.to))"
      sentence += " (\(Numbers.grouped(change.count)))"
    }
    if test.revenue == nil, !sums.isEmpty {
      sentence += ": \(sums.joined(separator: " and ")) in decoded revenue, compared with the devices' own copies"
    }
    if let revenue = test.revenue {
      sentence += ": \(Numbers.percent(revenue.share)) more revenue"
      sentence += revenue.shareOfOthers.map { ", others \(Numbers.percent($0))" } ?? ""
    }
    sentence += since
    if let leftOut = test.leftOut, leftOut > 0 {
      let reason =
        switch test.name {
        case .heldBack: "many copies of several forwarders came days late then, as behind a wrong clock"
        case .raisedRevenue: "it is not known what a value means or what the device sent"
        default: "copies of devices do not count, contradict each other, cannot be read or may have lost the field"
        }
      sentence += "; \(Numbers.grouped(leftOut)) more were not compared, because \(reason)"
    }
    if test.isOfOnePair {
      sentence += "; the data do not tell which of both changed values, or if they got different postbacks"
    }
    return sentence + "."
  }

  private var others: String {
    guard test.others.total > 0 else { return "" }
    switch (test.name, test.basis) {
    case (.bursts, _): return " of its postbacks; \(Numbers.grouped(test.others.count)) are usual"
    case (.withheld, _): return "; of the forwarded ones \(share(test.others))"
    case (_, .past): return "; before \(share(test.others)) of \(Numbers.grouped(test.others.total))"
    case (_, .sameCampaign): return "; through others \(share(test.others))"
    default: return "; others \(share(test.others))"
    }
  }

  /// A finding that names nobody: who posts as a device is not known.
  private var disagreement: String {
    let (count, total) = (Numbers.grouped(test.own.count), Numbers.grouped(test.own.total))
    let scope =
      switch test.party.kind {
      case .forwarder: "that the forwarder \(test.party.name) sent, too"
      case .network: "of the network \(test.party.name)"
      case .app: "of the app \(test.party.name)"
      }
    return """
      Copies that came as a device's own contradict each other in \(count) of \(total) postbacks \(scope) \
      (\(share(test.own)))\(since). They are left out of all comparisons. Anybody can post as a device, so that this does not tell \
      who did it.
      """
  }

  private var since: String {
    guard let since = test.since else { return test.isThroughout ? ", in the whole period" : "" }
    if test.name == .bursts { return ", on \(Self.date(since.day))" }
    // The days are those of the first copies.
    let beginning = test.isThroughout ? ", in the whole period, more" : ","
    let records = beginning + (test.name == .lateCopies ? " first received" : since.isOnlyDay ? " all" : "")
    if since.isOnlyDay { return "\(records) on \(Self.date(since.day))" }
    let days = "\(Self.date(since.low)) to \(Self.date(since.high))"
    let interval = since.low < since.high ? " (95\u{202F}% interval \(days))" : ""
    return "\(records) since \(Self.date(since.day))" + interval
  }

  /// A day since 1970 as a date.
  package static func date(_ day: Int32) -> String { Timestamp.name(ofDay: Int(day)) }

  /// The corrected p-value in words.
  package var certainty: String {
    let p = test.correctedPValue
    if let day = test.withdrawnOn {
      return "This was an alarm, which is withdrawn on \(Self.date(day)): by then the evidence had fallen."
    }
    guard test.isSignificant else { return "This may be chance." }
    let ending = test.kind == .difference ? " A difference need not be wrong." : ""
    return chance(p) + ending
  }

  private func chance(_ p: Double) -> String {
    guard p < SignalTest.level else { return "More than 5\u{202F}% of the postbacks are left out of the comparisons." }
    let number = p < 0.0001 ? "fewer than 1 in 10\u{202F}000" : "at most 1 in \(Numbers.grouped(Int(1 / p)))"
    let looks =
      test.method.isValidAtAnyTime ? ", however often you look" : ", if you look once: looking daily raises this chance"
    return "By chance, \(number) reports would show this\(looks)."
  }

  /// The party, as the subject of a sentence.
  package var party: String {
    let name = test.party.name
    let subject =
      switch test.party.kind {
      case .forwarder: "The forwarder \(name)"
      case .network: "The network \(name)"
      case .app: "The app \(name)"
      }
    return subject + (test.app.map { ", in app \($0)," } ?? "")
  }

  /// The sums by which the forwarded values mean more or less revenue.
  private var sums: [String] {
    test.money.filter { $0.value != .zero }.sorted { $0.key < $1.key }
      .map { ($0.value > .zero ? "+" : "") + "\(Numbers.plain($0.value)) \($0.key)" }
  }

  private var finding: String {
    let (count, total) = (Numbers.grouped(test.own.count), Numbers.grouped(test.own.total))
    switch test.name {
    case .fineValues, .coarseValues:
      // Values can be higher by their ranks without more of them above the middle.
      let isBelow = (test.own.share ?? 0) < (test.others.share ?? 0)
      return "\(comparison)\(isBelow ? ", by the ranks of all" : ""): \(count) of \(total) are above the middle"
    case .inventedNulls where test.basis == .copies:
      return "dropped the conversion value in \(count) of \(total) postbacks whose device's own copy has one"
    case .inventedNulls:
      let others = test.basis == .sameCampaign ? "the same campaigns through other forwarders" : "others"
      return "differs from \(others) in postbacks without a conversion value: \(count) of \(total)"
    case .redownloads: return "differs from others in redownloads: \(count) of \(total)"
    case .viewThrough: return "differs from others in postbacks of views: \(count) of \(total)"
    case .countries where test.basis == .targets:
      return "has \(count) of \(total) postbacks of countries that their campaign does not target"
    case .countries: return "differs from others in postbacks of \(test.value ?? "one country"): \(count) of \(total)"
    case .bursts:
      return "changed its rate: \(count) of \(total) postbacks of the campaign \(test.value ?? "") came in one hour"
    case .heldBack:
      return "sent \(count) of \(total) postbacks days after another sender, although it sent others in between"
    case .withheld:
      return """
        did not forward postbacks whose values differ from the forwarded ones of the same campaigns: \(count) of \(total) are above \
        the middle
        """
    case .missingForwarded:
      return "did not forward \(count) of \(total) postbacks of which the devices' own copies came"
    case .raisedValues:
      return "raised the conversion value in \(count) of \(total) postbacks with a device's own copy"
    case .raisedRevenue:
      let gain = test.revenue.map { "\(Numbers.plain($0.gain)) \($0.currency)" } ?? "more revenue"
      return """
        added \(gain) in decoded revenue, net of losses, to \(count) of \(total) postbacks with a device's own copy
        """
    case .loweredValues:
      return "lowered or dropped the conversion value in \(count) of \(total) postbacks with a device's own copy"
    case .addedValues:
      return "added a conversion value in \(count) of \(total) postbacks whose device's own copy has none"
    case .deviceCopiesDisagree:
      return "has \(count) of \(total) postbacks whose copies of devices contradict each other"
    case .changedCountries: return "changed the country in \(count) of \(total) postbacks with a device's own copy"
    case .impossibleFields:
      return "has \(count) of \(total) accepted postbacks with fields that are impossible in Apple's data tiers"
    case .selfConflicts: return "sent \(count) of \(total) postbacks again with other values"
    case .lateCopies: return "sent \(count) of \(total) postbacks again long after its own first copy"
    case .resends: return "sent \(count) of \(total) postbacks that it had sent before"
    case .invalidSignatures: return "sent \(count) of \(total) postbacks that no trusted key signed"
    case .reusedTransactions: return "sent \(count) of \(total) postbacks with the transaction of another postback"
    case .sharedTransactions: return "won \(count) of \(total) transactions that another network won, too"
    case .unknownCampaigns: return "has \(count) of \(total) postbacks of campaigns that the lookup tables do not have"
    case .inactiveCampaigns:
      return "has \(count) of \(total) postbacks of campaigns that did not run then, by the lookup tables"
    }
  }

  private var comparison: String {
    let values = test.name == .fineValues ? "fine values" : "coarse values"
    switch test.basis {
    case .past: return "changed: its \(values) are higher than before"
    case .sameCampaign:
      let others = test.isOfOnePair ? "another forwarder" : "each other forwarder"
      return "differs from \(others) of the same campaigns by higher \(values)"
    default: return "differs from others for the same apps by higher \(values)"
    }
  }

  private func share(_ rate: Rate) -> String { "\(Share(rate.count, of: rate.total))" }

  private func value(_ text: String) -> String { text == "absent" ? "none" : text }
}

extension SignalName {
  /// The property that the test looks for, in the words of analysts.
  package var words: String {
    switch self {
    case .fineValues: "higher fine values"
    case .coarseValues: "higher coarse values"
    case .redownloads: "more redownloads"
    case .viewThrough: "more views"
    case .heldBack: "copies held back"
    case .withheld: "some values not forwarded"
    case .inventedNulls: "missing conversion values"
    case .bursts: "bursts"
    case .countries: "countries"
    case .missingForwarded: "postbacks not forwarded"
    case .raisedValues: "raised conversion values"
    case .raisedRevenue: "raised revenue"
    case .loweredValues: "lowered or dropped conversion values"
    case .addedValues: "added conversion values"
    case .deviceCopiesDisagree: "copies of devices that contradict each other"
    case .changedCountries: "changed countries"
    case .impossibleFields: "impossible fields"
    case .selfConflicts: "copies with other values"
    case .lateCopies: "late copies"
    case .resends: "repeated postbacks"
    case .invalidSignatures: "invalid signatures"
    case .reusedTransactions: "reused transactions"
    case .sharedTransactions: "transactions that several networks won"
    case .unknownCampaigns: "unknown campaigns"
    case .inactiveCampaigns: "campaigns that did not run"
    }
  }
}

extension SignalName {
  /// The codes of rejects that the test is about.
  package var rejectCodes: [RejectCode] {
    switch self {
    case .invalidSignatures: [.signatureInvalid]
    case .reusedTransactions: [.duplicateTransaction]
    case .raisedValues, .raisedRevenue, .loweredValues, .addedValues, .changedCountries, .selfConflicts,
      .deviceCopiesDisagree:
      [.duplicateConflict]
    case .lateCopies, .resends: [.duplicateIdentical]
    default: []
    }
  }
}

/// The names of fields in the language of analysts.
package enum FieldWords {
  /// The name of a column or of a field of Apple's; the name itself if there is no other.
  package static func name(_ field: String) -> String {
    switch field.replacing("_", with: "-") {
    case "conversion-value": "the fine value"
    case "coarse-conversion-value": "the coarse value"
    case "country-code": "the country"
    case "did-win": "won or lost"
    case "redownload": "first download or redownload"
    case "fidelity-type": "view-through or StoreKit-rendered"
    case "source-identifier": "the source identifier"
    case "campaign-id": "the campaign"
    case "transaction-id", "postback-identifier": "the transaction"
    case "ad-network-id", "ad-network-identifier": "the ad network"
    case "app-id", "advertised-item-identifier": "the advertised app"
    case "source-app-id", "publisher-item-identifier": "the source app"
    case "source-domain": "the source domain"
    case "version": "the version"
    case "postback-sequence-index": "the conversion window"
    case "conversion-type": "the conversion type"
    default: field
    }
  }
}

extension Numbers {
  /// The exact amount with at least two decimals, and thin spaces between groups of three digits.
  package static func exact(_ amount: Amount) -> String {
    let parts = amount.description.split(separator: ".")
    let isNegative = amount < .zero
    let digits = parts.first.map { isNegative ? $0.dropFirst() : $0 } ?? "0"
    let whole = Int(digits).map { Numbers.grouped($0) } ?? String(digits)
    let decimals = parts.count > 1 ? String(parts[1]) : ""
    return (isNegative ? "−" : "") + whole + "." + decimals + String(repeating: "0", count: max(0, 2 - decimals.count))
  }
}
