internal import Answers
internal import JSON
internal import PostbackServer

/// The check of a configuration and of everything that it names: what each part would do, and all problems.
struct ConfigurationCheck {
  /// A command as the configuration has it.
  struct Part {
    let name: String
    let isConfigured: Bool
    /// The work that the command would do; the reason if it is not configured. Nil if there are problems.
    let summary: String?
  }

  private(set) var parts: [Part] = []
  /// The problems, each as a line with its file and its place.
  private(set) var problems: [String] = []
  /// The exit status for the problems: that of a missing file only if all are of missing files.
  private(set) var status = ExitStatus.ok

  /// Reads the configuration with its secrets, and the files that it names. It connects to nothing.
  init(_ file: String) {
    let configuration: ServerConfiguration
    do { configuration = try ServerConfiguration(reading: file) } catch {
      note(CommandFailure(of: error))
      return
    }
    var configured = ConfiguredParts(configuration)
    for name in ConfiguredParts.names {
      if let key = configured.missingKey(of: name) {
        parts.append(Part(name: name, isConfigured: false, summary: "no \(key)"))
        continue
      }
      parts.append(Part(name: name, isConfigured: true, summary: configured.summary(of: name)))
      for failure in configured.failures {
        // A message about options names no file.
        let isOfOptions = failure.status == .usage
        note(isOfOptions ? CommandFailure(.configuration, "\(file): \(name): \(failure.message)") : failure)
      }
    }
  }

  private mutating func note(_ failure: CommandFailure) {
    for line in [failure.message] + failure.details where !problems.contains(line) { problems.append(line) }
    status = status == .ok || status == failure.status ? failure.status : .configuration
  }
}

extension ConfigurationCheck {
  /// The parts as a table for people.
  var text: String {
    var table = TextTable(["command", "work"])
    for part in parts {
      let summary = part.summary ?? "there are problems, see below"
      table.add(part.name, part.isConfigured ? summary : "not configured: \(summary)")
    }
    return table.text(width: nil)
  }

  /// The parts and the problems, as schemas/config_check.schema.json describes them.
  var json: JSONValue {
    .object([
      .init(
        "parts",
        .array(
          parts.map { part in
            .object([
              .init("part", .string(part.name)), .init("configured", .bool(part.isConfigured)),
              .init("summary", .text(part.summary)),
            ])
          }
        )
      ),
      .init("problems", .texts(problems)),
    ])
  }
}
