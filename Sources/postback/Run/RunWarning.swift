internal import ConversionModel
internal import JSON
internal import PostbackPipeline
internal import SKAdNetwork

/// A warning that options of a run are likely to be wrong, concluded from the outcomes of its records.
struct RunWarning: Sendable {
  /// A word for programs.
  let code: String
  /// A sentence for people, with what to do.
  let message: String

  /// The warnings that a run with these models and that many trusted keys of the operator's own deserves.
  static func warnings(_ tally: Tally, hasModels: Bool, hasCustomKeys: Bool) -> [RunWarning] {
    [noModel(tally, hasModels: hasModels), noSignature(tally, hasCustomKeys: hasCustomKeys)].compactMap(\.self)
  }

  private static func noModel(_ tally: Tally, hasModels: Bool) -> RunWarning? {
    let count = tally.acceptedByStatus[.noModel] ?? 0
    let others = tally.acceptedByStatus.filter { [.decoded, .unmapped, .ambiguous].contains($0.key) && $0.value > 0 }
    guard count > 0, others.isEmpty else { return nil }
    let cause =
      hasModels
      ? "the models that --models names are of other apps or other install dates; postback model show prints them"
      : "no conversion models were given; name them with --models"
    return RunWarning(
      code: "no_model",
      message: "none of \(count) conversion values could be decoded (no_model): \(cause)"
    )
  }

  private static func noSignature(_ tally: Tally, hasCustomKeys: Bool) -> RunWarning? {
    let failed = tally.rejectedByCode.filter { $0.key.stage == .signature }
    let count = failed.reduce(0) { $0 + $1.value }
    let passed = tally.rejectedByCode.contains { [.policy, .dedup].contains($0.key.stage) && $0.value > 0 }
    guard count > 0, tally.accepted == 0, !passed else { return nil }
    let cause =
      if failed[.developmentKey] == count {
        "all are signed with Apple's development keys; --allow-development accepts them"
      } else if hasCustomKeys {
        "the keys that --trust-key names, and Apple's, did not sign them; postback explain shows one in detail"
      } else {
        "Apple's keys did not sign them; if they are signed with another key, name it with --trust-key"
      }
    return RunWarning(code: "no_signature", message: "none of \(count) signatures fits a trusted key: \(cause)")
  }
}

/// The largest share of rejects with which a run still succeeds.
struct RejectLimit: Sendable {
  static let option = Option(
    "--fail-if-rejected",
    "SHARE",
    "End with exit status 1 where more than this share was rejected, such as 0.05 or 5%. All is\ncommitted then. Identical copies (duplicate_identical) count neither as read nor as rejected."
  )

  private let share: Double
  private let text: String

  /// The limit that a text says: a share, or a percentage.
  init?(_ text: String) {
    let isPercentage = text.hasSuffix("%")
    guard let number = Double(isPercentage ? text.dropLast() : text[...]), number >= 0 else { return nil }
    share = isPercentage ? number / 100 : number
    guard share <= 1 else { return nil }
    self.text = text
  }

  /// Throws where more was rejected.
  func check(_ tally: Tally) throws(CommandFailure) {
    let copies = tally.rejectedByCode[.duplicateIdentical] ?? 0
    let (read, rejected) = (tally.read - copies, tally.rejected - copies)
    guard Double(rejected) > share * Double(read) else { return }
    let percent = (Double(rejected) / Double(read) * 1000).rounded() / 10
    throw CommandFailure(
      .different,
      "\(rejected) of \(read) records were rejected (\(percent) %), identical copies not counted: more than "
        + "--fail-if-rejected \(text) allows; everything is committed"
    )
  }
}
