internal import Answers
internal import Base
internal import ConversionModel
internal import DurableFiles
internal import JSON
internal import ModelExchange

/// `postback model import`: makes a model of a conversion schema of another system.
struct ModelImportCommand: Command {
  struct Options: OptionGroup {
    let form = Option("--as NAME", "The form of FILE: appsflyer, adjust or google-ads.")
      .value(ExchangeForm.kind(ImportForm.self))
    let app = Option("--app N", "The App Store id; where the form has none, or several.").value(.appID)
    let currency = Option("--currency CODE", "The currency of revenue, where the form has none.")
      .value("an ISO 4217 code of three capital letters such as USD") { $0.isCurrencyCode ? $0 : nil }
    let modelID = Option("--id NAME", "The model_id; the name of --as unless given.")
      .value("1 to 64 characters of A-Z, a-z, 0-9, '.', '_' and '-'") { name in
        (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(\.isInNames) ? name : nil
      }
    let version = Option("--model-version N", "The version of the model; 1 unless given.")
      .value(.integer(in: 1...Int.max), else: 1)
    let start = Option("--from TIME", "The first install date; the time of the schema's last change unless given.")
      .value(.time)
    let output = Option("-o, --out FILE", "Write the model to this file; default standard output.")
      .value(.text, else: OutputFile.standardOutputPath)
    let overwrites = Option("--force", "Overwrite the file of --out.").isGiven
    let printsJSON = Option.json("Print JSON: {\"models\":…,\"lost\":[…],\"assumed\":[…]}.")
  }

  static let manual = Manual(
    name: "model import",
    summary: "Make a conversion model of a schema of AppsFlyer, Adjust or Google Ads.",
    usage: "--as NAME FILE [--id NAME] [--from TIME] [--app N] [--currency CODE] [--out FILE] [--json]",
    discussion: """
      FILE is the JSON that their APIs answer, of SKAdNetwork 3 or 4; - is standard input. The model is one that model check and
      run --models take. What a model cannot say is listed as lost, and what the schema leaves open as assumed; a schema of which
      the model would be wrong is refused with the line. docs/models.md has the forms.
      Exit status: 0; 64 usage, 65 the schema is wrong, 66 FILE does not exist, 73 the output exists, 74 I/O.
      """,
    options: Options.options,
    example: "postback model import --as appsflyer Fixtures/exchange/appsflyer-skan4.json --out models/appsflyer.json"
  )

  /// The most bytes of a schema.
  private static let largestFile = 16 << 20

  private let path: String
  private let form: ImportForm
  private let choice: ImportChoice
  private let options: Options

  init(_ arguments: Arguments) throws {
    guard let path = arguments.operands.first, arguments.operands.count == 1 else {
      throw CommandFailure(.usage, "Give one file with the schema.")
    }
    options = try arguments.read()
    guard let form = options.form else {
      throw CommandFailure(.usage, "The form of the schema is missing. Give --as, such as --as appsflyer.")
    }
    var choice = ImportChoice(modelID: options.modelID ?? form.rawValue, version: options.version)
    choice.start = options.start
    choice.appID = options.app
    choice.currency = options.currency
    (self.path, self.form, self.choice) = (path, form, choice)
  }

  func run() async throws {
    let text = try WholeFile.read(path == "-" ? "/dev/stdin" : path, upTo: Self.largestFile)
    let found = try SchemaImport(text, file: path, as: form, choice)
    found.loaded.warnings.forEach(Terminal.warn)
    let file = try OutputFile(options.output, overwrites: options.overwrites, advice: "Give --force, or another name.")
    if options.printsJSON {
      let answer = JSONValue.object([.init("models", found.models)] + found.notes.members)
      if case .file = file { try file.write(Array((found.models.indented + "\n").utf8)) }
      try file.publish()
      return try Terminal.print(answer.description)
    }
    try file.write(Array((found.models.indented + "\n").utf8))
    try file.publish()
    found.notes.report()
  }
}
