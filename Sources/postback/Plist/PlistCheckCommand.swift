internal import Base
internal import DurableFiles
internal import InfoPlist
internal import JSON

/// `postback plist check`: checks the ad attribution in files Info.plist.
struct PlistCheckCommand: Command {
  struct Options: OptionGroup {
    let networks = Option(
      "--networks FILE",
      "Ids that must be in each Info.plist, one on each line; # begins a comment."
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

  init(_ arguments: Arguments) throws(CommandFailure) {
    guard !arguments.operands.isEmpty else {
      throw CommandFailure(.usage, "No file is given. Give the Info.plist of an app.")
    }
    (paths, options) = (arguments.operands, try arguments.read())
  }

  /// The most bytes of a file.
  private static let mostBytes = 16 << 20

  func run() async throws(CommandFailure) {
    let networks = try readNetworks()
    var checks: [InfoPlistCheck] = []
    for path in paths {
      checks.append(InfoPlistCheck(file: path, bytes: try Self.bytes(of: path), networks: networks))
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

  private static func print(_ check: InfoPlistCheck) throws(CommandFailure) {
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

  private func readNetworks() throws(CommandFailure) -> [String] {
    guard let networks = options.networks else { return [] }
    var ids: [String] = []
    var problems: [String] = []
    let text = String(decoding: try Self.bytes(of: networks), as: UTF8.self)
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let id = String(line.prefix { $0 != "#" }).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        .lowercased()
      if id.isEmpty { continue }
      guard id.hasSuffix(".skadnetwork") || id.hasSuffix(".adattributionkit"), !id.contains(" ") else {
        problems.append(
          "\(networks): line \(number + 1): An id ends in .skadnetwork or .adattributionkit. Correct the line."
        )
        continue
      }
      ids.append(id)
    }
    guard problems.isEmpty else { throw CommandFailure(.configuration, lines: problems.joined(separator: "\n")) }
    return ids
  }

  private static func bytes(of path: String) throws(CommandFailure) -> [UInt8] {
    do throws(FileFailure) {
      guard try FileStatus(path: path).kind == .regular else {
        throw FileFailure(.notFound, path, "This is not a regular file", advice: "Give the file itself")
      }
      return try WholeFile.read(path, upTo: mostBytes)
    } catch {
      throw CommandFailure(error)
    }
  }
}
