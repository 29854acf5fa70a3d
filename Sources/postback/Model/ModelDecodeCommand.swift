internal import Answers
internal import ConversionModel
internal import JSON

/// `postback model decode`: prints the meaning of one conversion value.
struct ModelDecodeCommand: Command {
  struct Options: OptionGroup {
    let fine = Option("--value N", "The fine value, 0 to 63.").value(.integer(in: 0...63))
    let coarse = Option("--coarse VALUE", "The coarse value: low, medium, high.").value(ValueKind<CoarseValue>.word)
    let window = ModelChoice.window() ?? 0
    let choice = ModelChoice()
    let printsJSON = Option.json("Print JSON: the model, decode_status, the events and the revenue.")
  }

  static let manual = Manual(
    name: "model decode",
    summary: "Print the meaning of a conversion value.",
    usage:
      "PATH… (--value N | --coarse VALUE) [--window N] [--app N] [--installed-at TIME | --model ID@VERSION] [--json]",
    discussion: """
      The install date chooses the model where an app has several. A value that the model does not list is unmapped.
      """,
    options: Options.options,
    example: "postback model decode Fixtures/models --app 525463029 --installed-at 2026-03-10 --value 12"
  )

  private let options: Options
  private let paths: [String]

  init(_ arguments: Arguments) throws {
    paths = try ModelChoice.paths(arguments)
    options = try arguments.read()
    guard (options.fine == nil) != (options.coarse == nil) else {
      throw CommandFailure(.usage, "Give either --value or --coarse.")
    }
  }

  func run() async throws {
    let (window, fine, coarse) = (options.window, options.fine, options.coarse)
    let model = try options.choice.one(of: Models(loading: paths))
    let meaning = model.meaning(
      window: window,
      fine: fine,
      coarse: coarse,
      conversionType: options.choice.conversionType
    )
    let value = fine.map { "fine value \($0)" } ?? coarse.map { "coarse value \($0.rawValue)" } ?? ""
    if options.printsJSON { return try Terminal.print(json(model, meaning).description) }
    guard let meaning else {
      return try Terminal.print("\(value) of window \(window) is unmapped in \(model.label) of app \(model.appID)")
    }
    var table = TextTable()
    table.add("model", "\(model.label) of app \(model.appID)")
    table.add("means", meaning.text)
    if let revenue = meaning.revenue, let currency = model.currency {
      table.add("revenue", "\(revenue.estimate) \(currency), of \(revenue.rangeText)")
    }
    try Terminal.print(table.text())
  }

  private func json(_ model: ConversionModel, _ meaning: DecodedMeaning?) -> JSONValue {
    let revenue = meaning?.revenue
    let status = meaning == nil ? DecodeStatus.unmapped : .decoded
    let currency = meaning == nil ? nil : model.currency
    return .object([
      .init("app_id", .integer(model.appID)),
      .init("model_id", .string(model.label.modelID)),
      .init("model_version", .integer(model.label.version)),
      .init("decode_status", .string(status.rawValue)),
      .init("events", .optional(meaning?.json)),
      .init("skan_revenue", revenue.map { .amount($0.estimate) } ?? .null),
      .init("min_revenue", revenue.map { .amount($0.minimum) } ?? .null),
      .init("max_revenue", revenue?.maximum.map { .amount($0) } ?? .null),
      .init("currency", .text(currency)),
    ])
  }
}
