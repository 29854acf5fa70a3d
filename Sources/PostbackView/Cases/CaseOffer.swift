internal import Base
internal import JSON
internal import PostbackServer
internal import PostbackVerification
internal import ReportPages

/// The command lines that make a case of some records, and its conditions, from which the page makes the addresses of its downloads.
struct CaseOffer: Sendable {
  /// The conditions, as the command and the download take them.
  let conditions: [String]
  /// The limits of the time of receipt, in milliseconds since 1970.
  var since: Int64?
  var until: Int64?

  /// Returns the offer as JSON; null if there are no conditions, or if they name no partner and only a case for one has no amounts.
  ///
  /// - Parameters:
  ///   - output: The path of the output, as it was given.
  ///   - state: The path of its state, if it was given.
  ///   - trust: The keys that are trusted, of which those that were added are options of the command.
  ///   - seesRevenue: The right to see amounts.
  /// - Returns: An object with the conditions, the limits of time, and the command lines.
  func json(of output: String, state: String?, trust: TrustPolicy, seesRevenue: Bool) -> JSONValue {
    guard let request = try? CaseRequest(conditions, since: nil, until: nil), seesRevenue || request.namesPartner else {
      return .null
    }
    func time(_ milliseconds: Int64?) -> String? { milliseconds.map { "\(Timestamp(milliseconds: $0))" } }
    var words = ["postback case", output.quotedForShell]
    words += conditions.map { "--where \($0.quotedForShell)" }
    words += [("since", since), ("until", until)].compactMap { name, limit in time(limit).map { "--\(name) \($0)" } }
    if let state { words.append("--state \(state.quotedForShell)") }
    words += trust.addedKeyOptions
    func command(_ more: [String]) -> JSONValue { .string((words + more).joined(separator: " ")) }
    let files = ["--html \(CaseDownload.Form.html.file)", "--csv \(CaseDownload.Form.csv.file)"]
    return .object([
      .init("conditions", .texts(conditions)),
      .init("since", .text(time(since))),
      .init("until", .text(time(until))),
      .init("command", seesRevenue ? command(files) : .null),
      .init("command_for_partner", request.namesPartner ? command(["--for-partner"] + files) : .null),
    ])
  }
}

extension TrustPolicy {
  /// The options of a command that trusts the same keys.
  fileprivate var addedKeyOptions: [String] {
    let added = keys.filter(\.isAdded).map { key -> String in
      let base64 = String(decoding: Base64.standard.encode(key.subjectPublicKeyInfo), as: UTF8.self)
      let option = ConfiguredKey(id: key.id, base64: base64, environment: key.environment, validFrom: key.validFrom)
        .option
      return "\(key.environment == .custom ? "--trust-key" : "--apple-key") \(option.quotedForShell)"
    }
    return added + (allowsDevelopment ? ["--allow-development"] : [])
  }
}
