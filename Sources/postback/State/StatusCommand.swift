internal import JSON
internal import PostbackPipeline

/// `postback status`: shows the current activity and the totals of a consumer.
struct StatusCommand: Command {
  static let manual = Manual(
    name: "status",
    summary: "Show what is known of a state: whether it is in use, how far behind it is, and all counts.",
    usage: "(OUT | --state DIR) [--include-fed-back] [--json]",
    discussion: """
      OUT is the folder that --out of run or watch named. Reads beside a process that uses the state, without keeping it from anything, and makes no file. Counts are of the
      whole life of the state, as of the last commit. What the spool holds, the rates and the memory are what the
      consumer said of itself, about once a second; without one they are not known. What --json prints is in
      schemas/status.schema.json.
      Exit status: 0, whether a consumer runs or not; 64 usage, 65 the state is damaged or another version's, 66 there is
      no state, 73 it may not be read, 74 I/O, 75 another program has locked the ledger.
      """,
    options: [StateOptions.folder, FedBackOptions.inclusion, Option("--json", nil, "Print JSON.")],
    example: "postback status out"
  )

  private let folder: String
  private let printsJSON: Bool
  private let includesFedBack: Bool

  init(_ arguments: Arguments) throws(CommandFailure) {
    folder = try StateOptions.folder(arguments)
    printsJSON = arguments.has("--json")
    includesFedBack = arguments.has(FedBackOptions.inclusion.name)
  }

  func run() async throws(CommandFailure) {
    let status: StateStatus
    do throws(StateFailure) { status = try StateStatus(folder: folder, includesFedBack: includesFedBack) } catch {
      throw CommandFailure(error)
    }
    try Terminal.print(printsJSON ? status.json.description : status.text)
  }
}
