internal import Base
internal import ConversionModel
internal import JSON

/// `postback model encode`: prints the conversion value that an app should report to Apple for a user's activity.
struct ModelEncodeCommand: Command {
  static let manual = Manual(
    name: "model encode",
    summary: "Print the conversion value that stands for a user's activity.",
    usage: """
      PATH… [--event NAME[=COUNT]]… [--revenue AMOUNT] [--window N] [--app N]
                [--installed-at TIME | --model ID@VERSION] [--currency CODE --rates FILE] [--json]
      """,
    discussion: """
      The value is the highest one whose meaning contains the activity. If there is none, it is the highest one whose
      least counts and least revenue are reached, and it is marked as not exact. Revenue in another currency than the
      model's is converted with the rates of the install date. --rates is a CSV file with the columns
      date,currency,rate. A rate is the number of units of the currency for one unit of a base currency, which is listed
      with the rate 1. A date without rates uses those of up to seven days before.
      """,
    options: [
      Option("--event", "NAME[=COUNT]", "An event that happened, and its count, which is 1 unless given. Repeatable."),
      Option("--revenue", "AMOUNT", "The total of the model's kind of revenue."),
      Option("--currency", "CODE", "The currency of --revenue; the model's unless given."),
      Option("--rates", "FILE", "Exchange rates; needed for another currency, with --installed-at."),
      ModelChoice.window, ModelChoice.conversionType, ModelChoice.app, ModelChoice.installedAt, ModelChoice.model,
      Option("--json", nil, "Print JSON: {\"fine\":…,\"coarse\":…,\"lock_window\":…,\"exact\":…} and the model."),
    ],
    example:
      "postback model encode Fixtures/models --app 525463029 --installed-at 2026-03-10 --event purchase --revenue 9.99"
  )

  private let arguments: Arguments
  private let paths: [String]
  private let activity: Activity
  private let currency: String?
  private let installDate: Timestamp?
  private let window: Int
  private let conversionType: ConversionType?

  init(_ arguments: Arguments) throws(CommandFailure) {
    paths = try ModelChoice.paths(arguments)
    var counts: [String: Int] = [:]
    for text in arguments.all("--event") {
      let (name, count) = try Self.event(text)
      guard counts.updateValue(count, forKey: name) == nil else {
        throw CommandFailure(.usage, "The event \(name) is given twice. Give it once, with its whole count.")
      }
    }
    let revenue = try arguments.value("--revenue", "an amount such as 9.99") { try? Amount(parsing: $0) }
    activity = Activity(counts: counts, revenue: revenue ?? .zero)
    currency = arguments.value("--currency")
    installDate = try ModelChoice.installDate(arguments)
    window = try arguments.integer("--window", in: 0...2) ?? 0
    conversionType = try ModelChoice.conversionType(arguments)
    self.arguments = arguments
  }

  /// Reads a name and a count, which stand before and after the last `=`. The count is 1 if there is no `=`.
  private static func event(_ text: String) throws(CommandFailure) -> (String, Int) {
    guard let sign = text.lastIndex(of: "=") else { return (text, 1) }
    let name = String(text[..<sign])
    guard !name.isEmpty, let count = Int(text[text.index(after: sign)...]), count >= 0 else {
      throw CommandFailure(.usage, "The value of --event is \(text). It must be NAME or NAME=COUNT.")
    }
    return (name, count)
  }

  func run() async throws(CommandFailure) {
    let model = try ModelChoice.one(arguments, of: Models(checking: paths))
    var activity = activity
    activity.revenue = try revenue(in: model)
    guard let encoding = model.encode(activity, window: window, conversionType: conversionType) else {
      throw CommandFailure(
        .usage,
        "The model \(model.label) of app \(model.appID) does not describe window \(window). Choose another --window."
      )
    }
    if arguments.has("--json") { return try Terminal.print(json(model, encoding).description) }
    var table = TextTable()
    table.add("model", "\(model.label) of app \(model.appID)")
    table.add("fine value", encoding.fine.map(String.init) ?? "none")
    table.add("coarse value", encoding.coarse?.rawValue ?? "none")
    table.add("lock window", encoding.locksWindow ? "yes" : "no")
    table.add("exact", encoding.isExact ? "yes" : "no")
    let meaning = model.meaning(
      window: window,
      fine: encoding.fine,
      coarse: encoding.fine == nil ? encoding.coarse : nil,
      conversionType: conversionType
    )
    table.add("means", meaning?.text ?? "nothing is told")
    try Terminal.print(table.text())
  }

  /// The revenue in the model's currency.
  private func revenue(in model: ConversionModel) throws(CommandFailure) -> Amount {
    guard activity.revenue > .zero, let currency, currency != model.currency else { return activity.revenue }
    guard let target = model.currency else { return activity.revenue }
    guard let path = arguments.value("--rates"), let installDate else {
      throw CommandFailure(
        .usage,
        "The model's currency is \(target). Give --rates and --installed-at to convert the revenue from \(currency)."
      )
    }
    let rates: CurrencyRates
    do { rates = try CurrencyRates(loading: path) } catch { throw CommandFailure(.configuration, lines: error) }
    do {
      return try rates.convert(activity.revenue, from: currency, to: target, on: installDate)
    } catch {
      throw CommandFailure(.configuration, "\(path): \(error)")
    }
  }

  private func json(_ model: ConversionModel, _ encoding: Encoding) -> JSONValue {
    .object([
      .init("app_id", .integer(model.appID)),
      .init("model_id", .string(model.label.modelID)),
      .init("model_version", .integer(model.label.version)),
      .init("window", .integer(window)),
      .init("fine", encoding.fine.map { .integer($0) } ?? .null),
      .init("coarse", encoding.coarse.map { .string($0.rawValue) } ?? .null),
      .init("lock_window", .bool(encoding.locksWindow)),
      .init("exact", .bool(encoding.isExact)),
    ])
  }
}
