internal import Answers
internal import Base
internal import ConversionModel
internal import ImportedRows
internal import InputForms
internal import JSON
internal import Ledger
internal import PostbackPipeline
internal import PostbackVerification
internal import Tables

/// `postback import`: says in which form the records of a file are, or imports those that have no signature.
struct ImportCommand: Command {
  struct Options: OptionGroup {
    let isDryRun = Option("--dry-run", "Read the first records, and write nothing.").isGiven
    let output = Option("-o, --out DIR", "Write skan_imported into this folder, an output of run or a new one.")
      .value(.folder)
    let vendor = Option("--vendor NAME", "The vendor of the rows; default the name of the mapping.")
      .value("a name of 1 to 256 bytes without control characters") { InputContext.isName($0) ? $0 : nil }
    let mapping = Option.mapping
    let currency = Option("--currency CUR", "The currency of revenue whose row does not say it, such as USD.")
      .value("an ISO 4217 code of three capital letters such as USD") { CurrencyCodes.all.contains($0) ? $0 : nil }
    let formats = Option.format.value(.formatsWithJSONLines)
    let isCSVSafe = Option.csvSafe.isGiven
    let printsJSON = Option.json("Print the counts of --out as a JSON object.")
    let keys = KeyOptions()
  }

  static let manual = Manual(
    name: "import",
    summary: "Say which mapping fits a file of any form, or write its rows without a signature as skan_imported.",
    usage: "FILE --dry-run | INPUT… --out OUT [--mapping NAME|FILE] [--vendor NAME] [--format FORMAT] [--json]",
    discussion: """
      With --dry-run: reads the first 200 records of FILE in each form that run knows: as postbacks, as CSV, and with each mapping
      that postback inputs lists. Counts those that are postbacks, and those with a signature of a trusted key. Prints
      three of them, and the command that reads the whole file. Of an export without signatures it prints the command that imports
      its rows, with the mapping that reads most of its columns. Writes nothing. The exit status is 1 if no form fits.

      With --out: writes what vendors say without showing Apple's signature as the table skan_imported. INPUT is a file or a
      folder, as for run. The rows have the verification none, and never get into another table. Postbacks with a
      signature are counted and left to run. Each transaction of a vendor has one row. The rows of the vendor replace those that
      were there before, so name all its exports each time; those of other vendors stay. postback daily then compares what
      each vendor counts with what Apple signed, as skan_vendor_daily. Exit statuses: 64 usage, 65 a mapping is wrong,
      66 input, 73 cannot create, 74 I/O, 75 another process writes the table.
      """,
    options: Options.options,
    example: "postback import Fixtures/inputs/branch.csv --dry-run"
  )

  /// The choice between a look at a file and an import.
  private enum Task {
    case look(String)
    case write([String], output: String, vendor: String, TableEncoding)
  }

  private let task: Task
  private let options: Options
  private let trust: TrustPolicy
  private var mapping: Mapping? { options.mapping }

  init(_ arguments: Arguments) throws {
    options = try arguments.read()
    trust = try options.keys.trust()
    guard !arguments.operands.contains(InputFile.standardInput) else {
      throw CommandFailure(.usage, "This command reads files, not standard input.")
    }
    guard options.isDryRun != (options.output != nil) else {
      throw CommandFailure(
        .usage,
        "Give --dry-run to see which form fits, or --out to write rows without a signature. Postbacks are read by postback run."
      )
    }
    if options.isDryRun {
      guard arguments.operands.count == 1 else { throw CommandFailure(.usage, "Give one file with --dry-run.") }
      task = .look(arguments.operands[0])
      return
    }
    guard !arguments.operands.isEmpty else {
      throw CommandFailure(.usage, "No input is given. Give a file or a folder.")
    }
    guard let output = options.output, let vendor = options.vendor ?? options.mapping?.name else {
      throw CommandFailure(.usage, "The vendor of the rows is not known. Name it with --vendor, or give --mapping.")
    }
    try TablesOptions.verifyPlace(output)
    let encoding = TableEncoding(options.formats ?? [.jsonLines], isCSVSafe: options.isCSVSafe)
    task = .write(arguments.operands, output: output, vendor: vendor, encoding)
  }

  func run() async throws {
    switch task {
    case .look(let path): try await look(path)
    case .write(let paths, let output, let vendor, let encoding): try await write(paths, output, vendor, encoding)
    }
  }

  private func write(
    _ paths: [String],
    _ output: String,
    _ vendor: String,
    _ encoding: TableEncoding
  ) async throws {
    let table = try ImportedOutput(encoding, in: output, vendor: vendor, currency: options.currency)
    try await table.add(paths, mapping.map { InputForm($0) } ?? InputForm(.csv))
    let summary = table.summary
    guard summary.imported > 0 else {
      if summary.utf16 == 0 { for place in summary.unreadablePlaces { Terminal.warn(place) } }
      throw Self.nothing(summary, paths)
    }
    try table.complete()
    if !summary.repeated.isEmpty {
      let names = summary.repeated.prefix(5).joined(separator: ", ")
      let rest = summary.repeated.count > 5 ? " and \(summary.repeated.count - 5) more" : ""
      Terminal.warn("Inputs with the content of an earlier one are left out: \(names)\(rest).")
    }
    if summary.revenueLeftOut > 0 {
      Terminal.warn(
        "\(summary.revenueLeftOut) rows have a revenue that is no amount of 0 or more. It is in their extras, and counts as none."
      )
    }
    if summary.datesLeftOut > 0 {
      Terminal.warn(
        "\(summary.datesLeftOut) rows have a date that cannot be read, and are of no day. Give the dates as 2026-03-09."
      )
    }
    for (column, rows, first) in summary.otherValues {
      Terminal.warn(
        "\(rows) rows have a \(column.rawValue) that cannot be read, such as \(first.prefix(80).description.withControlCharactersEscaped). It is in their extras, and counts as none.\(Self.advice(on: column))"
      )
    }
    if summary.withoutCurrency > 0 {
      Terminal.warn(
        "\(summary.withoutCurrency) rows have revenue in no currency, or in one that cannot be read, so that it is in no sum. Give codes such as USD, or --currency for the rows that say none."
      )
    }
    Self.warnOfSums(summary)
    if summary.differing > 0 {
      Terminal.warn(
        "\(summary.differing) rows differ from an earlier row of the same transaction, which counts. Name the newest export first if its rows shall."
      )
    }
    for place in summary.unreadablePlaces { Terminal.warn(place) }
    if summary.signed > 0 {
      Terminal.warn("\(summary.signed) postbacks have a signature and were not imported. Read them with postback run.")
    }
    if options.printsJSON { return try Terminal.print(summary.json.description) }
    var text = TextTable(numbersIn: [1])
    text.add("read", "\(summary.read)")
    text.add("rows of \(output)/\(Table.imported.name)", "\(summary.imported)")
    text.add("of the same transaction", "\(summary.duplicates)")
    text.add("with a signature", "\(summary.signed)")
    text.add("no rows", "\(summary.unreadable)")
    try Terminal.print(text.text())
  }

  /// Warns of rows whose sums may not be what the vendor counts, and of columns that another mapping reads.
  private static func warnOfSums(_ summary: ImportedSummary) {
    if summary.overlapping > 0 {
      Terminal.warn(
        "\(summary.overlapping) rows without a transaction are in an earlier file too, but for their count, revenue and other measures, and all of them are added up: such as \(summary.overlap.withControlCharactersEscaped). If the exports have days in common, give each day in one export, or the newest export alone."
      )
    }
    if summary.uncounted > 0 {
      let names = shown(summary.possibleCounts)
      let columns = names.isEmpty ? "" : ": of the others these have whole numbers: \(names)"
      Terminal.warn(
        "\(summary.uncounted) rows have no transaction and no count, so each counts as one conversion. If a column has the count, name it count\(columns)."
      )
    }
    if let (mapping, names) = summary.fittingMapping {
      Terminal.warn(
        "Columns that the mapping \(mapping.name) reads are among the extras: \(shown(names)). If the export has its form, give --mapping \(mapping.name)."
      )
    }
  }

  /// The first of some names, for people.
  private static func shown(_ names: [String]) -> String {
    let text = names.prefix(5).map { $0.prefix(80).description }.joined(separator: ", ")
    return text.withControlCharactersEscaped + (names.count > 5 ? " and \(names.count - 5) more" : "")
  }

  /// The advice for a column with values that cannot be read, as a sentence with a space before it; empty for other columns.
  private static func advice(on column: ColumnName) -> String {
    switch column {
    case .postbackSequenceIndex:
      " Give the windows as 0, 1 and 2, as Apple counts them: otherwise all windows of this vendor are compared as one."
    case .conversionValue: " Give whole numbers from 0 to 63."
    case .coarseConversionValue: " Give low, medium or high."
    case .appID: " Give the number of the app in the App Store."
    default: ""
    }
  }

  /// The refusal of inputs without a row, which would leave the vendor none.
  private static func nothing(_ summary: ImportedSummary, _ paths: [String]) -> CommandFailure {
    let reason =
      summary.signed > 0
      ? "Its \(summary.signed) postbacks have a signature: read them with postback run."
      : summary.utf16 > 0
        ? "Its text is UTF-16. Save it as UTF-8."
        : "None of \(summary.read) records is one. postback import FILE --dry-run says which form fits a file."
    let names = paths.count == 1 ? paths[0] : "\(paths[0]) and \(paths.count - 1) more"
    return CommandFailure(
      .configuration,
      "\(names): There is no row to import. \(reason) Rows of \(summary.vendor) that were imported before stay as they are."
    )
  }

  private func look(_ path: String) async throws {
    let forms = mapping.map { [InputForm($0)] } ?? ([InputForm(.auto)] + Mapping.builtIn.map { InputForm($0) })
    var samples: [FormSample] = []
    for form in forms { samples.append(try await FormSample(of: path, in: form, trust: trust)) }
    var table = TextTable(["form", "records", "postbacks", "signed"], numbersIn: [1, 2, 3])
    let fitting = samples.filter { $0.postbacks > 0 }.sorted { ($0.signed, $0.postbacks) > ($1.signed, $1.postbacks) }
    guard let best = fitting.first else {
      if mapping == nil, try await lookForRows(path, samples) { return }
      throw CommandFailure(
        .different,
        "None of the first \(samples.map(\.records).max() ?? 0) records of \(path) is a postback in any known form. Rows without a "
          + "signature are imported with --out; docs/input.md says how, and how a mapping is written."
      )
    }
    for sample in fitting { table.add(sample.name, "\(sample.records)", "\(sample.postbacks)", "\(sample.signed)") }
    let option = best.form.mapping.map { " --mapping \(mapping == nil ? $0.name.shellWord : "…")" } ?? ""
    let command = "postback run \(path.shellWord)\(option) --out OUT"
    try Terminal.print(([table.text(), best.shown(), "Read them with: \(command)"]).joined(separator: "\n\n"))
  }

  /// Prints the command that imports the rows of a file without postbacks. Returns false if it has no rows of a known form.
  private func lookForRows(_ path: String, _ samples: [FormSample]) async throws -> Bool {
    let plain = try await FormSample(of: path, in: InputForm(.csv), trust: trust)
    let mapping = Mapping.reading(plain.names)?.mapping
    let mapped = samples.first { $0.form.mapping?.name == mapping?.name && mapping != nil && $0.rows > 0 }
    let found = mapped ?? plain
    guard found.rows > 0 else { return false }
    var table = TextTable(["form", "records", "postbacks", "rows without a signature"], numbersIn: [1, 2, 3])
    table.add(found.name, "\(found.records)", "0", "\(found.rows)")
    let option = mapped == nil ? "--vendor NAME" : "--mapping \(found.name.shellWord)"
    let command = "postback import \(path.shellWord) \(option) --out OUT"
    try Terminal.print("\(table.text())\n\nImport them with: \(command)")
    return true
  }
}
