internal import Base
internal import ConversionModel
internal import SKAdNetwork

/// A row of the truth file: the outcome that `run` must reach for a line.
struct TruthRow: Sendable {
  let plan: LinePlan
  /// The number of the line in the dump; nil if it is withheld.
  let line: Int?
  /// The number of the line that it duplicates; nil if it is no duplicate.
  let originalLine: Int?

  /// Appends the row as a line of JSON.
  func append(to json: inout [UInt8]) {
    let draft = plan.draft
    let isAccepted = plan.rejectCode == nil && line != nil
    json.append(UInt8(ascii: "{"))
    member("line", line.map { .integer(Int64($0)) }, isFirst: true, &json)
    member("outcome", .text(line == nil ? "withheld" : isAccepted ? "accepted" : "rejected"), &json)
    member("reject_code", line == nil ? nil : plan.rejectCode.map { .text($0.rawValue) }, &json)
    member("kind", .text(plan.kind.rawValue + (plan.malformation.map { ":\($0.rawValue)" } ?? "")), &json)
    member("version", .text(draft.format.name), &json)
    append(plan.change, to: &json)
    if let change = plan.furtherChange { append(change, "further_", to: &json) }
    member("of_line", line == nil ? nil : originalLine.map { .integer(Int64($0)) }, &json)
    member("transaction_id", draft[draft.format.transaction], &json)
    if isAccepted {
      member("signature_state", .text(plan.kind == .zeroFilled ? "valid_zero_filled" : "valid"), &json)
      member("app_id", draft[draft.format.app], &json)
      member("did_win", draft[.didWin], &json)
      member("postback_sequence_index", draft[.postbackSequenceIndex], &json)
      member("conversion_value", draft[.conversionValue], &json)
      member("coarse_conversion_value", draft[.coarseConversionValue], &json)
    }
    if let truth = plan.arrival?.truth { append(truth, to: &json) }
    if let fraud = plan.fraud {
      member("fraud", .text(fraud.kind.rawValue), &json)
      member("fraud_by", plan.arrival?.forwarder.map { .text($0) }, &json)
      append(fraud.change, "fraud_", to: &json)
    }
    json.append(contentsOf: "}\n".utf8)
  }

  private func append(_ change: FieldChange?, _ prefix: String = "", to json: inout [UInt8]) {
    member("\(prefix)field", change.map { .text($0.field.name) }, &json)
    member("\(prefix)original", change?.original.map { .text($0) }, &json)
    member("\(prefix)edited", change?.edited.map { .text($0) }, &json)
  }

  /// Appends the truth of a postback of a campaign: the values that Apple and the forwarder started from.
  private func append(_ truth: PostbackTruth, to json: inout [UInt8]) {
    let conversion = truth.conversion
    let value = conversion.values[truth.window]
    member("campaign_id", .text(truth.campaignID), &json)
    member("country", .text(Audience.countries[conversion.cell.country]), &json)
    member("conversion", .text(conversion.kind.rawValue), &json)
    member("converted_at", .text(Timestamp(milliseconds: conversion.time).description), &json)
    member("data_tier", .integer(Int64(conversion.tier)), &json)
    member("true_conversion_value", (value?.fine).map { .integer(Int64($0)) }, &json)
    member("true_coarse_conversion_value", (value?.coarse).map { .text($0.rawValue) }, &json)
    member("true_revenue", (value?.revenue).map { .json($0.description) }, &json)
    member("forwarder_edit", truth.edit.map { .text($0.rawValue) }, &json)
  }

  private func member(_ name: String, _ value: DraftValue?, isFirst: Bool = false, _ json: inout [UInt8]) {
    json.appendJSONKey(name, isFirst: isFirst)
    (value ?? .json("null")).append(to: &json)
  }
}
