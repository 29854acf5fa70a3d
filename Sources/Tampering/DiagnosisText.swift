internal import Base
internal import PostbackVerification
package import JSON
internal import SKAdNetwork

extension Diagnosis {
  /// The finding in one sentence.
  package var summary: String {
    switch finding {
    case .unaltered(let recovery):
      (["The signed fields are as Apple signed them."] + recovery.sentences).joined(separator: " ")
    case .reencoded(let recovery), .recovered(let recovery): recovery.sentences.joined(separator: " ")
    case .stolenSignature(let recovery, let owner):
      "The signature was stolen: it is that of transaction \(owner.transactionID)\(owner.whereabouts)"
        + (recovery.map { ", which differs in " + $0.edits.map(\.field.name).joined(separator: ", ") } ?? "") + "."
    case .noVariantFound(.exhausted):
      "No trusted key signed any of the \(tried) variants that were tried: \(Self.triedVariants). \(Self.untriedVariants)"
    case .noVariantFound(.budget):
      "No trusted key signed any of the first \(tried) variants: \(Self.triedVariants). The search ended at its limit, so "
        + "that further variants were not tried. \(Self.untriedVariants)"
    case .noVariantFound(.impossibleSignature):
      "No postback can have this signature, whatever its content is, so the signature was invented."
    case .noVariantFound(.unreadableSignature): "The signature cannot be decoded in any known encoding."
    case .noVariantFound(.unreadablePostback): "The record cannot be read as a postback, so no variants were tried."
    }
  }

  private static let triedVariants =
    "other flags, campaigns, source identifiers, versions and spellings, and pairs of them"
  private static let untriedVariants =
    "Another transaction cannot be tried, and an app or a network only if it is known, because they can be anything: the "
    + "postback may be edited or invented."

  /// The diagnosis as a JSON object; schemas/diagnosis.schema.json describes it.
  package var json: JSONValue {
    let owner: SignatureOwner? = if case .stolenSignature(_, let owner) = finding { owner } else { nil }
    let reason: Reason? = if case .noVariantFound(let reason) = finding { reason } else { nil }
    return .object([
      .init("finding", .string(code)),
      .init("summary", .string(summary)),
      .init("edits", .array((recovery?.edits ?? []).map(\.json))),
      .init("reencodings", .array((recovery?.reencodings ?? []).map(\.json))),
      .init("signed_postback", .text(recovery?.postback)),
      .init("key_id", .text(recovery?.keyID)),
      .init("transaction_id", .text(owner?.transactionID)),
      .init("owner", .optional(owner?.json)),
      .init("reason", .text(reason?.rawValue)),
      .init("tried", .integer(tried)),
    ])
  }
}

extension Diagnosis.Edit {
  fileprivate var json: JSONValue {
    .object([
      .init("field", .string(field.name)),
      .init("original", .text(original)),
      .init("arrived", .text(arrived)),
      .init("sentence", .string(sentence)),
    ])
  }
}

extension Reencoding {
  fileprivate var json: JSONValue {
    .object([
      .init("code", .string(kind.rawValue)), .init("field", .text(field?.name)), .init("sentence", .string(sentence)),
    ])
  }
}

extension SignatureOwner {
  /// The network, the time of receipt and the place of the postback, as far as they are known, for a sentence.
  fileprivate var whereabouts: String {
    var text = adNetworkID.map { " of \($0)" } ?? ""
    if let receivedAt { text += ", received \(receivedAt)" }
    if let sourceFile, let sourceLine { text += " (\(sourceFile), line \(sourceLine))" }
    return text
  }

  /// The postback as a JSON object.
  package var json: JSONValue {
    .object([
      .init("transaction_id", .string(transactionID)),
      .init("postback_key", .text(postbackKey)),
      .init("ad_network_id", .text(adNetworkID)),
      .init("app_id", .text(appID)),
      .init("channel", .text(channel)),
      .init("forwarder", .text(forwarder)),
      .init("received_at", .text(receivedAt)),
      .init("source_file", .text(sourceFile)),
      .init("source_line", .integer(sourceLine)),
    ])
  }
}

extension Diagnosis.Recovery {
  /// The changes, one sentence for each, and a further sentence if a development key signed.
  package var sentences: [String] { changes + (environment == .development ? [Self.development] : []) }

  private static let development =
    "It is signed with a development key of Apple, so it is a test and not an install. Use --allow-development to accept "
    + "it."

  private var changes: [String] {
    if edits.count == 2, let original = edits[0].original, original == edits[1].arrived,
      edits[0].arrived == edits[1].original, edits[0].arrived != nil
    {
      return ["\(edits[0].field.noun) and \(edits[1].field.noun) were swapped".sentence] + reencodings.map(\.sentence)
    }
    return edits.map(\.sentence) + reencodings.map(\.sentence)
  }
}

extension Diagnosis.Edit {
  /// The edit in a sentence for analysts.
  package var sentence: String { clause.sentence }

  private var clause: String {
    switch (field, original, arrived) {
    case (.didWin, "false", "true"): "a lost attribution was presented as won"
    case (.didWin, "true", "false"): "a won attribution was presented as lost"
    case (.redownload, "true", "false"): "a redownload was presented as a first download"
    case (.redownload, "false", "true"): "a first download was presented as a redownload"
    case (.fidelityType, "0", "1"): "a view-through ad was presented as a StoreKit-rendered one"
    case (.fidelityType, "1", "0"): "a StoreKit-rendered ad was presented as a view-through one"
    case (_, let original?, nil): "\(field.noun) was removed: \(original)"
    case (_, nil, let arrived?): "\(field.noun) was added: \(arrived)"
    case (_, let original?, let arrived?): "\(Self.change(of: field, original, arrived)) from \(original) to \(arrived)"
    case (_, nil, nil): "\(field.noun) was not changed"
    }
  }

  private static func change(of field: Field, _ original: String, _ arrived: String) -> String {
    let noun = field.noun
    if field == .sourceIdentifier {
      if original.count > arrived.count, original.hasPrefix(arrived) || original.hasSuffix(arrived) {
        return "\(noun) was cut"
      }
      if arrived.count > original.count, arrived.hasPrefix(original) || arrived.hasSuffix(original) {
        return "\(noun) was extended"
      }
    }
    if original.lowercased() == arrived.lowercased() { return "the letter case of \(noun) was changed" }
    if original == arrived.withoutWhiteSpaceAround { return "white space was added around \(noun), which changed" }
    if original == arrived.percentDecoded { return "\(noun) was percent-encoded" }
    return "\(noun) was changed"
  }
}

extension Field {
  /// The name of the field in sentences for analysts.
  fileprivate var noun: String {
    switch self {
    case .version: "the version"
    case .adNetworkID, .adNetworkIdentifier: "the ad network"
    case .campaignID: "the campaign"
    case .sourceIdentifier: "the source identifier"
    case .appID, .advertisedItemIdentifier: "the advertised app"
    case .transactionID, .postbackIdentifier: "the transaction id"
    case .sourceAppID, .publisherItemIdentifier: "the source app"
    case .sourceDomain: "the source domain"
    case .fidelityType: "the fidelity type"
    case .postbackSequenceIndex: "the conversion window"
    case .conversionType: "the conversion type"
    case .impressionType: "the impression type"
    case .marketplaceIdentifier: "the marketplace"
    case .keyID: "the name of the key"
    default: name
    }
  }
}

extension String {
  /// The clause with a capital letter at the start and a full stop at the end.
  var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
