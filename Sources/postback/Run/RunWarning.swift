internal import ConversionModel
internal import DurableFiles
internal import PostbackPipeline
internal import SKAdNetwork

/// A warning that an option of a run is likely to be wrong, because of the outcomes of its records.
struct RunWarning: Sendable {
  /// The stable code of the warning, for programs.
  let code: String
  /// The warning and what to do, in sentences.
  let message: String

  /// Returns the warnings for a run with this tally.
  static func warnings(_ tally: Tally, hasModels: Bool, hasCustomKeys: Bool) -> [RunWarning] {
    [noModel(tally, hasModels: hasModels), noSignature(tally, hasCustomKeys: hasCustomKeys), noPostback(tally)]
      .compactMap(\.self)
  }

  private static func noPostback(_ tally: Tally) -> RunWarning? {
    let unread = tally.rejectedByCode.filter { [.parse, .schema].contains($0.key.stage) }.reduce(0) { $0 + $1.value }
    guard unread > 0, unread == tally.read else { return nil }
    let isOtherText = (tally.rejectedByCode[.invalidUTF8] ?? 0) * 2 >= unread
    let advice =
      isOtherText
      ? "The text is not UTF-8. Save it as UTF-8, and give it again."
      : "postback import FILE --dry-run says if a mapping fits, for --mapping; postback rejects says what is wrong with "
        + "each record."
    return RunWarning(code: "no_postback", message: "None of \(unread) records could be read as a postback. \(advice)")
  }

  /// Returns a warning that inputs gave no record; none if there are no such inputs.
  static func withoutRecords(_ inputs: [String]) -> [RunWarning] {
    guard !inputs.isEmpty else { return [] }
    let rest = inputs.count > 5 ? " and \(inputs.count - 5) more" : ""
    let names = inputs.prefix(5).joined(separator: ", ") + rest
    return [RunWarning(code: "no_record", message: "There is no record in \(names).")]
  }

  /// Returns a warning that postbacks are of days whose rows were removed before; none if there are none.
  static func onRemovedDays(_ tally: Tally, state: String) throws(FileFailure) -> [RunWarning] {
    try tally.remarkOnRemovedDays(state).map { [RunWarning(code: "removed_days", message: $0)] } ?? []
  }

  private static func noModel(_ tally: Tally, hasModels: Bool) -> RunWarning? {
    let count = tally.acceptedByStatus[.noModel] ?? 0
    let others = tally.acceptedByStatus.filter { [.decoded, .unmapped, .ambiguous].contains($0.key) && $0.value > 0 }
    guard count > 0, others.isEmpty else { return nil }
    let cause =
      hasModels
      ? "The models that --models names are for other apps or other install dates; postback model show prints them."
      : "No conversion models were given; name them with --models."
    return RunWarning(
      code: "no_model",
      message: "None of \(count) conversion values could be decoded (no_model). \(cause)"
    )
  }

  private static func noSignature(_ tally: Tally, hasCustomKeys: Bool) -> RunWarning? {
    let failed = tally.rejectedByCode.filter { $0.key.stage == .signature }
    let count = failed.reduce(0) { $0 + $1.value }
    let passed = tally.rejectedByCode.contains { [.policy, .dedup].contains($0.key.stage) && $0.value > 0 }
    guard count > 0, tally.accepted == 0, !passed else { return nil }
    let cause =
      if failed[.developmentKey] == count {
        "All are signed with Apple's development keys; --allow-development accepts them."
      } else if hasCustomKeys {
        "Neither Apple's keys nor those that --trust-key names signed them; postback explain shows one in detail."
      } else {
        "Apple's keys did not sign them; if another key did, name it with --trust-key."
      }
    return RunWarning(
      code: "no_signature",
      message: "None of \(count) signatures is valid under a trusted key. \(cause)"
    )
  }
}

/// The largest share of rejects with which a run still succeeds.
struct RejectLimit: Sendable {
  /// The value of `--fail-if-rejected`; nil if it is absent.
  static var option: RejectLimit? {
    Option(
      "--fail-if-rejected SHARE",
      "End with exit status 1 if more than this share was rejected, such as 0.05 or 5%. Everything is\ncommitted nevertheless. Identical copies (duplicate_identical) do not count at all."
    ).value("a share, such as 0.05 or 5%") { RejectLimit($0) }
  }

  private let share: Double
  private let text: String

  /// Parses a share from 0 to 1, or a percentage; nil if the text is neither.
  init?(_ text: String) {
    let isPercentage = text.hasSuffix("%")
    guard let number = Double(isPercentage ? text.dropLast() : text[...]), number >= 0 else { return nil }
    share = isPercentage ? number / 100 : number
    guard share <= 1 else { return nil }
    self.text = text
  }

  /// Throws if more records were rejected than the limit allows.
  func check(_ tally: Tally) throws {
    let copies = [.duplicateIdentical, .duplicateForgotten].reduce(0) { $0 + (tally.rejectedByCode[$1] ?? 0) }
    let (read, rejected) = (tally.read - copies, tally.rejected - copies)
    guard Double(rejected) > share * Double(read) else { return }
    let percent = (Double(rejected) / Double(read) * 1000).rounded() / 10
    throw CommandFailure(
      .different,
      "\(rejected) of \(read) records were rejected (\(percent) %), not counting identical copies. This is more than "
        + "--fail-if-rejected \(text) allows. Everything is committed."
    )
  }
}
