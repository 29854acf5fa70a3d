internal import Base
internal import JSON
internal import PostbackPipeline

/// `postback state compact`: removes the ids of old postbacks from the state.
struct StateCompactCommand: Command {
  static let manual = Manual(
    name: "state compact",
    summary: "Forget the ids of old postbacks, by which copies are told, so that the state does not grow for ever.",
    usage: "(OUT | --state DIR) --before DATE [--json]",
    discussion: """
      Drops the ids of postbacks that were taken before DATE, and says how many were dropped and how many remain. The
      tables stay as they are. WARNING: a copy of such a postback that still comes is no duplicate any more: it counts as
      a first one, and its revenue twice. Apple and forwarders resend for days; a DATE of a year ago is on the safe side,
      unless old dumps are to be read again. There is no way back but a backup of the state and the tables.
      Whenever it is stopped, the state is as before or as after. Stop its consumer first.
      Exit status: 0; 64 usage, or DATE is in the future; 65 the state is damaged or another version's, 66 there is no
      state, 73 it may not be written, 74 I/O or a full disk, 75 another process uses it.
      """,
    options: [
      StateOptions.folder,
      Option("--before", "DATE", "A time: RFC 3339, or a date, which is its beginning in UTC."),
      Option("--json", nil, "Print JSON: {\"before\":…,\"dropped\":…,\"remaining\":…}."),
    ],
    example: "postback state compact out --before 2025-11-01"
  )

  private let folder: String
  private let before: Timestamp
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(CommandFailure) {
    folder = try StateOptions.folder(arguments)
    guard let date = try arguments.time("--before") else {
      throw CommandFailure(.usage, "give --before, the time before which ids are dropped")
    }
    guard date <= .now else { throw CommandFailure(.usage, "--before is \(date), which is in the future") }
    before = date
    printsJSON = arguments.has("--json")
  }

  func run() async throws(CommandFailure) {
    let dropped: Int64
    let remaining: Int64
    do throws(StateFailure) {
      let ledger = try Ledger(existing: StateFolder(existing: folder))
      dropped = try SeenLog.compact(ledger, before: UInt32(clamping: before.milliseconds / 1000))
      remaining = ledger.seen.entries
    } catch {
      throw CommandFailure(error)
    }
    let summary = JSONValue.object([
      .init("before", .string(before.description)), .init("dropped", .integer(dropped)),
      .init("remaining", .integer(remaining)),
    ])
    let text = "\(dropped) ids from before \(before) dropped, \(remaining) remain"
    try Terminal.print(printsJSON ? summary.description : text)
  }
}
