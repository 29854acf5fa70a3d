internal import Base
internal import DurableFiles
internal import InputForms
internal import ObjectStorage
internal import PostbackPipeline
internal import PostbackServer
internal import Reporting
internal import SKAdNetwork
internal import Tables

/// The options that choose the files of folders, and that say who sent the postbacks in them.
struct InputOptions {
  static let options = [
    Option(
      "--include",
      "PATTERN",
      "Of folders, read only files that match this pattern, such as '*.jsonl.gz' or 'dt=2026-03-*/*'.\nMay be repeated."
    ),
    Option(
      "--exclude",
      "PATTERN",
      "Of folders, leave out files and sub-folders that match this pattern. May be repeated."
    ),
    Option(
      "--forwarder",
      "NAME",
      "The forwarder that sent postbacks without an envelope that names one; implies the channel\nnetwork_forwarded."
    ),
    Option(
      "--channel",
      "CHANNEL",
      "The channel of postbacks whose envelope does not name one: apple_direct or network_forwarded."
    ),
    Option(
      "--context",
      "TEMPLATE",
      "A part of paths that says the forwarder, the channel or the day of receipt, such as\n'source={forwarder}' or 'dt={received_at}'. May be repeated. forwarder=… and channel=… always do."
    ),
    Option(
      "--format-in",
      "FORM",
      "auto (default) reads an input as CSV if its first line is a header with names of postback fields; csv\nif it does not begin as JSON does; json never."
    ),
    MappingChoice.option,
  ]

  private let form: InputForm
  private var selection = InputSelection()
  private let rules: [ContextRule]
  private let context: InputContext
  /// The contexts of the inputs of a configuration, by their paths.
  private var configured: [String: InputContext] = [:]

  init(_ arguments: Arguments) throws(CommandFailure) {
    selection.included = arguments.all("--include")
    selection.excluded = arguments.all("--exclude")
    var rules: [ContextRule] = []
    for text in arguments.all("--context") {
      guard let rule = ContextRule(text) else {
        throw CommandFailure(
          .usage,
          "The value of --context is \(text). It must be the name of a folder or a file with one of {forwarder}, {channel} and "
            + "{received_at} in it, such as source={forwarder}."
        )
      }
      rules.append(rule)
    }
    self.rules = rules
    let words = InputForm.Detection.allCases.map(\.rawValue).joined(separator: ", ")
    let detection = try arguments.value("--format-in", words) { InputForm.Detection(rawValue: $0) }
    let mapping = try MappingChoice.mapping(arguments)
    guard detection == nil || mapping == nil else {
      throw CommandFailure(.usage, "A mapping says what the form of inputs is. Give --mapping or --format-in.")
    }
    form = mapping.map { InputForm($0) } ?? InputForm(detection ?? .auto)
    let forwarder = try arguments.value("--forwarder", "a name of 1 to 256 bytes without control characters") {
      InputContext.isName($0) ? $0 : nil
    }
    let channels = Channel.allCases.map(\.rawValue).joined(separator: " or ")
    let channel = try arguments.value("--channel", channels) { Channel(rawValue: $0) }
    guard forwarder == nil || channel != .appleDirect else {
      throw CommandFailure(
        .usage,
        "The channel apple_direct has no forwarder. Give --forwarder or --channel apple_direct."
      )
    }
    context = InputContext(forwarder: forwarder, channel: channel)
    guard context == InputContext(), let path = arguments.value(ConfigurationOption.option.name) else { return }
    for input in try ConfigurationOption.read(path).derived.inputs {
      configured[input.path] = InputContext(
        forwarder: input.forwarder,
        channel: input.channel.flatMap { Channel(rawValue: $0) }
      )
    }
  }

  /// Finds the inputs at these paths, and what is known of their postbacks. Folders of the tables and of the state are not
  /// entered. `remote` keeps those that are not in the file system.
  func find(_ paths: [String], _ remote: RemoteInputs, tables: String, state: String) throws(CommandFailure)
    -> FoundInputs
  {
    var selection = selection
    selection.avoided = [tables, state] + (Table.all + Table.derived).map { "\(tables)/\($0.name)" }
    do throws(FileFailure) {
      var found = try FoundInputs(at: paths, selection, remote: remote.find)
      found.setForm(form)
      try found.describe { file throws(FileFailure) in
        try InputContext(of: file.path, rules).completed(by: configured[paths[file.place]] ?? context)
      }
      return found
    } catch {
      throw CommandFailure(error)
    }
  }
}
