extension DerivedConfiguration {
  /// The commands that go on with the tables of a run, and `run`, in the order in which they build on each other.
  package static let commands = ["run", "settle", "enrich", "daily", "report", "load", "deliver"]

  /// The key of a configuration without which it does not ask for a command; nil if there is none.
  package static func key(of command: String) -> String? {
    ["run": "inputs", "enrich": "lookups", "report": "report", "load": "postgres", "deliver": "partners"][command]
  }

  /// Indicates that the configuration asks for a command: that it names what the command cannot do without.
  package func asks(for command: String) -> Bool {
    switch command {
    case "run": !inputs.isEmpty
    case "settle", "daily": true
    case "enrich": lookups != nil
    case "report": report != nil
    case "load": postgres != nil
    case "deliver": partners != nil
    default: false
    }
  }
}
