internal import JSON
internal import SKAdNetwork

/// A row of the truth file: the outcome that `run` must reach for a line.
struct TruthRow: Sendable {
  let plan: LinePlan

  /// Appends the row as a line of JSON.
  func append(to json: inout [UInt8]) {
    let draft = plan.draft
    let isAccepted = plan.rejectCode == nil
    json.append(UInt8(ascii: "{"))
    member("line", .integer(Int64(plan.line)), isFirst: true, &json)
    member("outcome", .text(isAccepted ? "accepted" : "rejected"), &json)
    member("reject_code", plan.rejectCode.map { .text($0.rawValue) }, &json)
    member("kind", .text(plan.kind.name), &json)
    member("version", .text(draft.form.name), &json)
    member("field", plan.change.map { .text($0.field.name) }, &json)
    member("original", plan.change?.original.map { .text($0) }, &json)
    member("edited", plan.change?.edited.map { .text($0) }, &json)
    if let change = plan.furtherChange {
      member("further_field", .text(change.field.name), &json)
      member("further_original", change.original.map { .text($0) }, &json)
      member("further_edited", change.edited.map { .text($0) }, &json)
    }
    member("of_line", plan.originalLine.map { .integer(Int64($0)) }, &json)
    member("transaction_id", draft[draft.form.transaction], &json)
    if isAccepted {
      member("signature_state", .text(plan.kind == .zeroFilled ? "valid_zero_filled" : "valid"), &json)
      member("app_id", draft[draft.form.app], &json)
      member("did_win", draft[.didWin], &json)
      member("postback_sequence_index", draft[.postbackSequenceIndex], &json)
      member("conversion_value", draft[.conversionValue], &json)
      member("coarse_conversion_value", draft[.coarseConversionValue], &json)
    }
    json.append(contentsOf: "}\n".utf8)
  }

  private func member(_ name: String, _ value: DraftValue?, isFirst: Bool = false, _ json: inout [UInt8]) {
    json.appendJSONKey(name, isFirst: isFirst)
    (value ?? .json("null")).append(to: &json)
  }
}
