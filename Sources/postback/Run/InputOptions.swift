internal import DurableFiles
internal import ObjectStorage
internal import PostbackPipeline
internal import PostbackServer
internal import Reporting
internal import SKAdNetwork
internal import Tables

/// The options that choose the files of folders, and that say who sent the postbacks in them.
struct InputOptions: OptionGroup {
  private let included = Option(
    "--include PATTERN",
    "Of folders, read only files that match this pattern, such as '*.jsonl.gz' or 'dt=2026-03-*/*'.\nMay be repeated."
  ).configured { $0.derived.included }.values(.text)
  private let excluded = Option(
    "--exclude PATTERN",
    "Of folders, leave out files and sub-folders that match this pattern. May be repeated."
  ).configured { $0.derived.excluded }.values(.text)
  private let forwarder = Option(
    "--forwarder NAME",
    "The forwarder that sent postbacks without an envelope that names one; implies the channel\nnetwork_forwarded."
  ).value("a name of 1 to 256 bytes without control characters") { InputContext.isName($0) ? $0 : nil }
  private let channel = Option(
    "--channel CHANNEL",
    "The channel of postbacks whose envelope does not name one: apple_direct or network_forwarded."
  ).value(ValueKind<Channel>.word)
  private let rules = Option(
    "--context TEMPLATE",
    "A part of paths that says the forwarder, the channel or the day of receipt, such as\n'source={forwarder}' or 'dt={received_at}'. May be repeated. forwarder=… and channel=… always do."
  ).configured { $0.derived.context }.values(
    "the name of a folder or a file with one of {forwarder}, {channel} and {received_at} in it, such as source={forwarder}"
  ) { ContextRule($0) }

  private let form = FormOptions()

  private var context: InputContext { InputContext(forwarder: forwarder, channel: channel) }

  /// Throws if options contradict each other.
  func check() throws {
    try form.check()
    guard forwarder == nil || channel != .appleDirect else {
      throw CommandFailure(
        .usage,
        "The channel apple_direct has no forwarder. Give --forwarder or --channel apple_direct."
      )
    }
  }

  /// Returns the contexts of the inputs of a configuration, by their paths. The options override all of them.
  func contexts(in configuration: String?) throws -> [String: InputContext] {
    guard context == InputContext(), let configuration else { return [:] }
    var contexts: [String: InputContext] = [:]
    for input in try ConfigurationOption.read(configuration).derived.inputs {
      contexts[input.path] = InputContext(
        forwarder: input.forwarder,
        channel: input.channel.flatMap { Channel(rawValue: $0) }
      )
    }
    return contexts
  }

  /// Finds the inputs at these paths, and what is known of their postbacks. Folders of the tables and of the state are not
  /// entered. `remote` keeps those that are not in the file system.
  func find(
    _ paths: [String],
    _ configured: [String: InputContext],
    _ remote: RemoteInputs,
    tables: String,
    state: String
  ) throws -> FoundInputs {
    var selection = InputSelection()
    (selection.included, selection.excluded) = (included, excluded)
    selection.avoided = [tables, state] + (Table.all + Table.derived).map { "\(tables)/\($0.name)" }
    var found = try FoundInputs(at: paths, selection, remote: remote.find)
    found.setForm(form.value)
    try found.describe { file throws(FileFailure) in
      try InputContext(of: file.path, rules).completed(by: configured[paths[file.place]] ?? context)
    }
    return found
  }
}
