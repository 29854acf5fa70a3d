internal import Answers
internal import ConversionModel
internal import AppIntegrationCheck
internal import JSON
internal import TableReading
internal import Tables

/// `postback validate-implementation`: checks the sessions and events that an app's server recorded.
struct ValidateImplementationCommand: Command {
  struct Options: OptionGroup {
    let models = Option.models("Compare values with the models of this file or folder. May be repeated.")
    let outputs = Option(
      "--postbacks OUT",
      "Compare values with the postbacks in the --out folder of run. May be repeated."
    ).values(.text)
    let examples = Option("--show N", "Show examples of each rule of at most N devices; default 3.")
      .value(.integer(in: 0...1000), else: 3)
    let showsDevices = Option("--show-devices", "Show the ids of devices, and not their SHA-256.").isGiven
    let temporary = Option("--temporary DIR", "Sort in this folder; default TMPDIR or /tmp.").value(.text)
    let wantsJSON = Option.json("Print the answer as a JSON object, which report takes with --implementation.")
    let jobs = Option.jobs("Read N batches of postbacks at once; default the number of cores.")
  }

  static let manual = Manual(
    name: "validate-implementation",
    summary: "Check an app's sessions and events: how it registers, updates its value and sends metadata.",
    usage: "FILE… [--models PATH] [--postbacks OUT] [--json]",
    discussion: """
      FILE has sessions and events as JSON Lines or CSV, compressed or not; - is standard input. A folder is all its files, and an output with s2s_events is that table. A row has received_at, a
      device, and the parameters that the app sends to /api/v2/conversion_value, under the names of SKAdNetwork 4 or 3.
      The device is any id in the column device, or idfv, or idfa. Only its SHA-256 is shown, unless --show-devices is given.

      The answer has a line for each broken rule, with the number and the share of devices, and advice; and a verdict for
      each version of the app: fail if a device has a finding of severity fail, warn if one has a warning, otherwise pass.
      With --models the fine values are compared with those of the conversion model. With --postbacks the values of
      devices after 48 hours are compared with those that came in postbacks.

      Rows may come in any order and any number: they are sorted by device and time, in a temporary file if they are many.
      Exit status: 0, also if there are findings; 64 usage, 65 a model is wrong or some rows could not be checked, 66 a file
      does not exist, 73 the temporary file cannot be created, 74 I/O.
      """,
    options: Options.options,
    example: "postback validate-implementation events.jsonl --models Fixtures/models"
  )

  private let options: Options
  private let paths: [String]

  init(_ arguments: Arguments) throws {
    paths = try arguments.operands(orAdvise: "No files are given. Give files with sessions and events.")
    options = try arguments.read()
  }

  func run() async throws {
    var check = ImplementationCheck(temporaryFolder: options.temporary ?? EventInputs.systemTemporaryFolder)
    (check.showsDevices, check.exampleLimit) = (options.showsDevices, options.examples)
    if !options.models.isEmpty { check.models = try Models(loading: options.models) }
    let report = try await check.report(on: try EventInputs.inputs(at: paths), postbacks: try await postbacks())
    try Terminal.print(options.wantsJSON ? report.json.description : ImplementationAnswer(report: report).text)
    guard report.rows > 0 else {
      throw CommandFailure(.configuration, "The files have no rows, so nothing was checked. Check that they are right.")
    }
    if let count = report.rowsWithoutModel, count > 0 {
      let rows = count == 1 ? "1 row was" : "\(count) rows were"
      Terminal.warn(
        """
        \(rows) compared with no model: --models has none for the app, by bundle_id, and for the time of the first call. \
        postback model show prints the models.
        """
      )
    }
    guard let first = report.badRows.first else { return }
    let rows = report.badRowCount == 1 ? "1 row was" : "\(report.badRowCount) rows were"
    throw CommandFailure(
      .configuration,
      "\(rows) not checked. The first is line \(first.line) of \(first.file): \(first.reason)"
    )
  }

  private func postbacks() async throws -> ReceivedValues? {
    let outputs = options.outputs
    guard !outputs.isEmpty else { return nil }
    let files = try TableFiles(.postbacks, at: outputs, OutputStates(of: outputs, among: []))
    guard files.isOfWholeRuns else {
      throw CommandFailure(.usage, "The value of --postbacks is no output. Give the --out folder of a run.")
    }
    return try await ReceivedValues(reading: files, jobs: options.jobs)
  }
}
