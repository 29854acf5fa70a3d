/// `postback completion`: prints the completions for a shell.
struct CompletionCommand: Command {
  private static let shells = Completions.Shell.allCases.map(\.rawValue)

  static let manual = Manual(
    name: "completion",
    summary: "Print the completions of commands and options for a shell.",
    usage: shells.joined(separator: "|"),
    discussion: """
      The Debian package installs them. Elsewhere, source the output when the shell starts, or write it where the shell
      looks for completions: ~/.local/share/bash-completion/completions/postback, _postback in a folder of zsh's fpath,
      or ~/.config/fish/completions/postback.fish.
      Exit status: 0, 64 usage.
      """,
    options: [],
    example: "source <(postback completion bash)"
  )

  private let shell: Completions.Shell

  init(_ arguments: Arguments) throws {
    guard arguments.operands.count == 1, let shell = Completions.Shell(rawValue: arguments.operands[0]) else {
      throw CommandFailure(.usage, "Name one shell: \(Self.shells.joined(separator: ", ")).")
    }
    self.shell = shell
  }

  func run() async throws {
    try Terminal.print(Completions(list: Main.commands).script(for: shell))
  }
}
