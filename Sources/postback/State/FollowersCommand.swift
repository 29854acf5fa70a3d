internal import Answers
internal import Base
internal import DurableFiles
internal import JSON
internal import Ledger
internal import Tables

/// `postback state followers`: shows or removes the programs that retention waits for.
struct StateFollowersCommand: Command {
  struct Options: OptionGroup {
    let state = StateOptions.state.value(.text)
    let removed = Option("--remove NAME", "Remove this follower.").value(.text)
    let printsJSON = Option.json(
      "Print JSON: {\"followers\":[{\"name\":…,\"kind\":…,\"seen_at\":…,\"positions\":[…]}]}."
    )
  }

  static let manual = Manual(
    name: "state followers",
    summary: "Print the programs that go on with the rows of an output, which retain waits for, or remove one.",
    usage: "(OUT | --state DIR) [--remove NAME] [--json]",
    discussion: """
      load postgres, deliver (for each partner) and daily note in the state up to where they have read. retain and watch
      --retain keep old rows that one of them has not read. Remove a follower that is gone for good; one that runs again
      notes itself again.
      Exit status: 0; 64 usage, 66 there is no state, or no follower of this name; 73 the state cannot be written, 74 I/O.
      """,
    options: Options.options,
    example: "postback state followers out"
  )

  private let folder: String
  private let options: Options

  init(_ arguments: Arguments) throws {
    options = try arguments.read()
    folder = try StateOptions.folder(arguments, options.state)
  }

  func run() async throws {
    guard Ledger.isThere(folder) else {
      throw CommandFailure(.noInput, "The directory \(folder) holds no state. Check the path.")
    }
    if let removed = options.removed, try !Follower.remove(removed, from: folder) {
      throw FileFailure(.notFound, folder, "There is no follower \(removed)", advice: "See postback state followers")
    }
    let followers = try Follower.all(of: folder)
    try Terminal.print(options.printsJSON ? Self.json(followers).description : Self.text(followers))
  }

  private static func json(_ followers: [Follower]) -> JSONValue {
    .object([
      .init(
        "followers",
        .array(
          followers.map { follower in
            .object([
              .init("name", .string(follower.name)),
              .init("kind", .text(follower.kind?.rawValue)),
              .init(
                "seen_at",
                follower.kind == nil ? .null : .string(Timestamp(milliseconds: follower.seenAt).description)
              ),
              .init("positions", .array(follower.positions.map { .string($0.description) })),
            ])
          }
        )
      )
    ])
  }

  private static func text(_ followers: [Follower]) -> String {
    guard !followers.isEmpty else { return "There are no followers." }
    var table = TextTable(["follower", "kind", "last seen", "tables"])
    for follower in followers {
      table.add(
        follower.name,
        follower.kind?.rawValue ?? "not readable",
        follower.kind == nil ? "" : Timestamp(milliseconds: follower.seenAt).description,
        follower.positions.map(\.table).joined(separator: ", ")
      )
    }
    return table.text()
  }
}
