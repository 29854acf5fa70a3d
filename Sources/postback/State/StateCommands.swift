internal import Answers
internal import DerivedTables
internal import DurableFiles
internal import Ledger
internal import Tables
internal import Base
internal import JSON

/// `postback state check`: compares the tables and the state with what was committed.
struct StateCheckCommand: Command {
  struct Options: OptionGroup {
    let state = StateOptions.state.value(.text)
    let output = Option("-o, --out OUT", "The folder with the tables; the same as OUT.").values(.text)
    let printsJSON = Option.json("Print JSON: {\"sound\":…,\"problems\":[…],\"notes\":[…]}.")
  }

  static let manual = Manual(
    name: "state check",
    summary: "Compare the tables and the state, every byte of every part, with what was committed.",
    usage: "OUT [--state DIR] [--json]",
    discussion: """
      Reads all of OUT, with the derived tables, and of the state and changes nothing. Prints each problem with the file and
      what to do, and a note for each further file that does no harm. The state is locked during the check: stop its consumer
      first. No right to write is needed, so a copy on a read-only disk can be checked.
      Exit status: 0 sound, 65 there is a problem; 64 usage, 66 the state or the folder does not exist, 73 the state cannot
      be opened, 74 I/O, 75 another process uses the state.
      """,
    options: Options.options,
    example: "postback state check out"
  )

  private let folder: String
  private let output: String
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    let options: Options = try arguments.read()
    output = try StateOptions.output(arguments, options.output, orAdvise: "Give OUT.")
    folder = try StateOptions.folder(options.state, of: output)
    printsJSON = options.printsJSON
  }

  func run() async throws {
    let state = try StateFolder(reading: folder)
    // A misspelt folder would otherwise show every part as missing.
    guard (try? Directory.names(in: output)) != nil else {
      throw CommandFailure(.noInput, "The folder \(output) cannot be read. Check the path.")
    }
    var check = StateCheck(output: output, state: state)
    check.add(problems: derivedProblems())
    try Terminal.print(printsJSON ? check.json.description : check.text)
    let count = check.problems.count
    guard count == 0 else {
      throw CommandFailure(
        .configuration,
        "The state \(folder) is not sound: \(count) problem\(count == 1 ? " was" : "s were") found."
      )
    }
  }
}

extension StateCheckCommand {
  /// The files of the derived tables that are not as they were committed, as sentences with the advice.
  fileprivate func derivedProblems() -> [String] {
    do throws(FileFailure) {
      let repair = try DerivedRepair(output, state: folder)
      return try DerivedSnapshot(of: output).changedFiles(readsBytes: true).map { "\(repair.failure($0))" }
    } catch {
      return ["\(error)"]
    }
  }
}

extension StateCheck {
  fileprivate var json: JSONValue {
    .object([
      .init("sound", .bool(problems.isEmpty)),
      .init("problems", .texts(problems)),
      .init("notes", .texts(notes)),
    ])
  }

  fileprivate var text: String {
    let problems = problems.map { "problem: ".styled(.red) + $0.withControlCharactersEscaped }
    let notes = notes.map { "note: \($0)".withControlCharactersEscaped }
    return (problems + notes + [problems.isEmpty ? "sound".styled(.green) : "not sound".styled(.red)])
      .joined(separator: "\n")
  }
}

/// `postback state compact`: removes the ids of old postbacks from the state.
struct StateCompactCommand: Command {
  struct Options: OptionGroup {
    let state = StateOptions.state.value(.text)
    let before = Option("--before DATE", "A time in RFC 3339, or a date, which means its start in UTC.").value(.time)
    let guards = RemovalOptions()
    let printsJSON = Option.json("Print JSON: {\"before\":…,\"dropped\":…,\"remaining\":…}.")
  }

  static let manual = Manual(
    name: "state compact",
    summary: "Remove the ids of old postbacks from the state, so that it does not grow without limit.",
    usage: "(OUT | --state DIR) --before DATE [--yes-remove-all] [--trust-clock] [--json]",
    discussion: """
      Removes the ids of postbacks that were accepted before DATE, and prints how many were removed and how many remain.
      The tables stay as they are. WARNING: a later copy of such a postback is no longer recognised: it is accepted, and
      its revenue counts twice. Apple and forwarders resend for days; a DATE of a year ago is safe unless old dumps are
      read again. Only a backup of the state and the tables can undo this. An interruption at any time leaves the state
      as before or as after. Stop the consumer of the state first.
      Nothing is removed if more than 20 % of the ids would go and the last removal ended more than eight days before DATE, or
      if the clock is more than a day and a half from the last time at which it was believed.
      Exit status: 0; 1 nothing was removed, for one of these reasons; 64 usage, or DATE is in the future; 65 the state is damaged or of another version, 66 there is no
      state, 73 the state cannot be written, 74 I/O or a full disk, 75 another process uses the state.
      """,
    options: Options.options,
    example: "postback state compact out --before 2025-11-01"
  )

  private let folder: String
  private let before: Timestamp
  private let options: Options

  init(_ arguments: Arguments) throws {
    options = try arguments.read()
    folder = try StateOptions.folder(arguments, options.state)
    guard let date = options.before else {
      throw CommandFailure(.usage, "No time is given. Give --before, the time before which ids are removed.")
    }
    guard date <= .now else {
      throw CommandFailure(.usage, "The value of --before is \(date), which is in the future.")
    }
    before = date
  }

  func run() async throws {
    let ledger = try Ledger(existing: StateFolder(existing: folder))
    let now = Timestamp.now.milliseconds
    if options.guards.trustsClock { try ledger.trustClock(now) } else { try ledger.observeClock(now) }
    let seconds = UInt32(clamping: before.milliseconds / 1000)
    let result = try SeenLog.compact(ledger, before: seconds) { share throws(FileFailure) in
      try ledger.refusal(.ids, before: before.milliseconds, now: now) {
        options.guards.removesAll ? RemovalShare(old: 0, of: 0) : share
      }
    }
    let dropped: Int64
    switch result {
    case .success(let count): dropped = count
    case .failure(let refusal): throw CommandFailure(refusal)
    }
    try ledger.recordRemoval(.ids, before: before.milliseconds)
    let remaining = ledger.seen.entries - ledger.forgotten.entries
    let summary = JSONValue.object([
      .init("before", .string(before.description)), .init("dropped", .integer(dropped)),
      .init("remaining", .integer(remaining)),
    ])
    let text = "\(dropped) ids from before \(before) removed, \(remaining) remain"
    try Terminal.print(options.printsJSON ? summary.description : text)
  }
}
