internal import Base
internal import InfoPlist
internal import JSON

/// `postback plist check`: checks the ad attribution in files Info.plist.
struct PlistCheckCommand: Command {
  struct Options: OptionGroup {
    let networks = Option(
      "--networks FILE",
      "Ids that must be in each Info.plist: a published list (see postback networks import), or one id on\neach line; # begins a comment."
    ).value(.text)
    let printsJSON = Option.json("Print JSON (schemas/plist_check.schema.json).")
  }

  static let manual = Manual(
    name: "plist check",
    summary: "Check the ad network ids and the addresses for copies of postbacks in Info.plist.",
    usage: "FILE… [--networks FILE] [--json]",
    discussion: """
      FILE is the Info.plist of an app, as XML or binary; that of the built app has no variables. Checked are the ids in
      SKAdNetworkItems and AdNetworkIdentifiers (duplicates, case, suffix), and the keys by which copies of postbacks come to
      you: NSAdvertisingAttributionReportEndpoint, and AttributionCopyEndpoint, in AdAttributionKit or beside it. Each
      finding is printed as FILE: KEY PATH: CODE: ADVICE. docs/info-plist.md lists the codes.
      Exit status: 0, also with warnings; 64 usage, 65 a file has errors, 66 a file does not exist.
      """,
    options: Options.options,
    example: "postback plist check Info.plist --networks networks.txt"
  )

  private let paths: [String]
  private let options: Options

  init(_ arguments: Arguments) throws {
    paths = try arguments.operands(orAdvise: "No file is given. Give the Info.plist of an app.")
    options = try arguments.read()
  }

  func run() async throws {
    let networks = try readNetworks()
    var checks: [InfoPlistCheck] = []
    for path in paths {
      checks.append(InfoPlistCheck(file: path, bytes: try NetworkList.bytes(of: path), networks: networks))
    }
    let errors = checks.reduce(0) { $0 + $1.errorCount }
    if options.printsJSON {
      let json = JSONValue.object([.init("files", .array(checks.map(\.json))), .init("errors", .integer(errors))])
      try Terminal.print(json.description)
    } else {
      for check in checks { try Self.print(check) }
    }
    guard errors > 0 else { return }
    let count = errors == 1 ? "1 error" : "\(errors) errors"
    throw CommandFailure(
      .configuration,
      "There \(errors == 1 ? "is" : "are") \(count). Correct the files, and check them again."
    )
  }

  private static func print(_ check: InfoPlistCheck) throws {
    for finding in check.findings {
      let place = [check.file, finding.keyPath].filter { !$0.isEmpty }.joined(separator: ": ")
      let found = finding.found.map { " \($0.quotedExcerpt)" } ?? ""
      let line = "\(place): \(finding.code.severity.rawValue) \(finding.code.rawValue)\(found): \(finding.advice)"
      try Terminal.print(line.withControlCharactersEscaped)
    }
    guard !Terminal.isQuiet, check.format != nil else { return }
    let counts =
      "\(check.skAdNetworkIDs.count) ids of SKAdNetwork, \(check.adAttributionKitIDs.count) of AdAttributionKit"
    let copies = [check.skAdNetworkCopies, check.adAttributionKitCopies].compactMap(\.self)
    let target = copies.isEmpty ? "no copies" : "copies to \(copies.joined(separator: " and "))"
    try Terminal.print("\(check.file): \(counts); \(target).".withControlCharactersEscaped)
  }

  private func readNetworks() throws -> [String] {
    guard let networks = options.networks else { return [] }
    let list = try NetworkList(file: networks)
    guard list.problems.isEmpty else {
      let problems = list.problems.map { "\(networks): \($0) Correct it." }
      throw CommandFailure(.configuration, lines: problems.joined(separator: "\n").withControlCharactersEscaped)
    }
    guard !list.entries.isEmpty else { throw CommandFailure(.configuration, NetworkList.empty(networks)) }
    var seen: Set<String> = []
    return list.entries.map(\.id).filter { seen.insert($0).inserted }
  }
}
