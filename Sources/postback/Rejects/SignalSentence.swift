internal import Base
internal import ConversionModel
internal import Reporting

/// A test of signals as a sentence for an analyst.
struct SignalSentence {
  let test: SignalTest

  /// The sentence.
  var text: String {
    let others = test.others.total > 0 ? "; \(others)" : ""
    var sentence = "\(party) \(finding) (\(share(test.own))\(others))"
    if let change = test.change, change.count > 0 {
      sentence += ", most often \(FieldWords.name(change.field)) from \(value(change.from)) to \(value(change.to))"
      sentence += " (\(Numbers.grouped(change.count)))"
    }
    let gains = test.money.filter { $0.value > .zero }.sorted { $0.key < $1.key }
    if test.name == .raisedValues, !gains.isEmpty {
      let sums = gains.map { "\($0.value.grouped) \($0.key)" }
      sentence += ", worth up to \(sums.joined(separator: " and ")) more than their direct copies"
    }
    if let since = test.since {
      sentence += ", first on \(Timestamp(milliseconds: since).description.prefix(10))"
    }
    return sentence + "."
  }

  private var party: String {
    let name = "\(test.party.kind.rawValue) \(test.party.name)"
    return name.prefix(1).uppercased() + name.dropFirst() + (test.app.map { ", app \($0)," } ?? "")
  }

  private var finding: String {
    let (count, total) = (Numbers.grouped(test.own.count), Numbers.grouped(test.own.total))
    switch test.name {
    case .fineValues:
      return "has higher fine values than others for the same apps: \(count) of \(total) are above the middle"
    case .coarseValues: return "has higher coarse values than others for the same apps: \(count) of \(total) are high"
    case .redownloads: return "has more redownloads: \(count) of \(total)"
    case .countries: return "has more postbacks of \(test.value ?? "one country"): \(count) of \(total)"
    case .missingForwarded:
      return "did not forward \(count) of \(total) postbacks of which the devices' own copies came"
    case .raisedValues: return "raised values in \(count) of \(total) postbacks with a device's own copy"
    case .changedCountries: return "changed the country in \(count) of \(total) postbacks with a device's own copy"
    case .impossibleFields:
      return "has \(count) of \(total) accepted postbacks with fields that Apple's data tiers rule out"
    case .selfConflicts: return "sent \(count) of \(total) postbacks again with other values"
    case .lateCopies: return "sent \(count) of \(total) postbacks again after Apple's last retry"
    case .resends: return "sent \(count) of \(total) postbacks that it had sent before"
    case .invalidSignatures: return "sent \(count) of \(total) postbacks that no trusted key signed"
    case .reusedTransactions: return "sent \(count) of \(total) postbacks with the transaction of another postback"
    case .sharedTransactions: return "won \(count) of \(total) transactions that another network won, too"
    case .unknownCampaigns: return "has \(count) of \(total) postbacks of campaigns that the lookup tables do not have"
    case .inactiveCampaigns: return "has \(count) of \(total) postbacks of campaigns that did not run at that time"
    }
  }

  private var others: String { "others \(share(test.others))" }

  private func share(_ rate: Rate) -> String { "\(Share(rate.count, of: rate.total))" }

  private func value(_ text: String) -> String { text == "absent" ? "none" : text }
}

/// The names of fields in the language of analysts.
enum FieldWords {
  /// The name of a column; the column itself if there is no other name.
  static func name(_ column: String) -> String {
    switch column {
    case "conversion_value": "the fine value"
    case "coarse_conversion_value": "the coarse value"
    case "country_code": "the country"
    default: column
    }
  }
}

extension Amount {
  /// The amount with two decimals, cut, and with thin spaces between groups of three digits.
  fileprivate var grouped: String {
    let parts = description.split(separator: ".")
    let whole = parts.first.flatMap { Int($0) }.map(Numbers.grouped) ?? description
    let decimals = parts.count > 1 ? String(parts[1].prefix(2)) : ""
    return whole + "." + decimals + String(repeating: "0", count: 2 - decimals.count)
  }
}
