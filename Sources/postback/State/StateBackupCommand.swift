internal import Base
internal import Delivery
internal import DerivedTables
internal import DurableFiles
internal import JSON
internal import Ledger
internal import Tables

/// `postback state backup`: copies the tables and the state of one moment while their consumer goes on.
struct StateBackupCommand: Command {
  struct Options: OptionGroup {
    let state = StateOptions.state.value(.text)
    let target = Option("--to DIR", "The folder of the backup, which must not exist.").value(.text, else: "")
    let previous = Option(
      "--link-to DIR",
      "An earlier backup on the same disk, to whose complete parts links are made."
    ).value(.text)
    let printsJSON = Option.json(
      "Print JSON: {\"commits\":…,\"committed_at\":…,\"parts\":…,\"rows\":…,\"linked\":…,\"seen_ids\":…,\"missing\":[…],\n\"not_copied\":[…]}."
    )
  }

  static let manual = Manual(
    name: "state backup",
    summary: "Copy the tables and the state of one moment, while their consumer goes on.",
    usage: "OUT --to DIR [--state DIR] [--link-to DIR] [--json]",
    discussion: """
      DIR must not exist. It becomes a folder like OUT, with the state in DIR/_state, and is durable when the command ends;
      until then its name is DIR.inprogress. The consumer is not stopped and does not wait. Every byte is compared with its
      checksum. With --link-to, complete parts that an earlier backup on the same disk has are links to its files, so that
      a backup takes only the room of what is new. Check it with postback state check DIR.

      To restore, stop the consumer or let serve --watch wait, rename DIR into the place of OUT, and put the files of
      SPOOL/done back into SPOOL/new: what the backup has is known, and the rest is taken. Of the derived tables those of
      daily are copied, because days whose rows were removed cannot be made again, with the options that refresh uses. The
      deliveries of deliver are in the state of the copy, which is marked as one of a backup: after a restore deliver ends
      with status 65 until it is run once with --replan, and only that sends again what was sent after the backup. Other
      derived tables and the events of apps are not copied; they are listed.
      Exit status: 0; 64 usage, 65 the state or a table is damaged, 66 there is no state, 73 DIR exists or cannot be created,
      74 I/O or a full disk, 75 the ids of the state are being compacted.
      """,
    options: Options.options,
    example: "postback state backup out --to /backup/2026-11-24 --link-to /backup/2026-11-23"
  )

  private let folder: String
  private let output: String
  private let target: String
  private let options: Options

  init(_ arguments: Arguments) throws {
    options = try arguments.read()
    output = try StateOptions.output(arguments, orAdvise: "Give OUT.")
    folder = try StateOptions.folder(options.state, of: output)
    target = options.target.withoutTrailingSlashes
    guard !target.isEmpty else {
      throw CommandFailure(.usage, "No folder for the backup is given. Name a new one with --to.")
    }
  }

  func run() async throws {
    let backup = try StateBackup(
      output: output,
      state: folder,
      to: target,
      linkingTo: options.previous,
      copyDeliveries: Outbox.copy(from:to:),
      copyDerived: DerivedBackup.copy
    )
    try Terminal.print(options.printsJSON ? backup.json.description : backup.text(target))
  }
}

extension StateBackup {
  private var rows: Int64 { ledger.parts.reduce(0) { $0 + $1.rows } }

  fileprivate var json: JSONValue {
    .object([
      .init("commits", .integer(ledger.commits)),
      .init("committed_at", .string(Timestamp(milliseconds: ledger.committedAt).description)),
      .init("parts", .integer(Int64(ledger.parts.count))),
      .init("rows", .integer(rows)),
      .init("linked", .integer(Int64(linked))),
      .init("seen_ids", .integer(ledger.seenCount)),
      .init("missing", .texts(missing)),
      .init("not_copied", .texts(others)),
    ])
  }

  fileprivate func text(_ target: String) -> String {
    let links = linked > 0 ? ", \(linked) of them links" : ""
    let time = Timestamp(milliseconds: ledger.committedAt)
    let first =
      "\(target): commit \(ledger.commits) of \(time), \(rows) rows in \(ledger.parts.count) parts\(links), "
      + "\(ledger.seenCount) ids"
    let missing = missing.map { "note: \($0) was moved away, and is not in the backup" }
    let others = others.isEmpty ? [] : ["note: not in the backup: \(others.joined(separator: ", "))"]
    return ([first] + missing + others).map(\.withControlCharactersEscaped).joined(separator: "\n")
  }
}
