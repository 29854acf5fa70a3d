internal import Answers
internal import Base
internal import ConversionModel
internal import JSON

/// `postback model encode`: prints the conversion value that an app should report to Apple for a user's activity.
struct ModelEncodeCommand: Command {
  struct Options: OptionGroup {
    let events = Option(
      "--event NAME[=COUNT]",
      "An event that happened, and its count, which is 1 unless given. Repeatable."
    ).values("NAME or NAME=COUNT") { event($0) }
    let revenue = Option("--revenue AMOUNT", "The total of the model's kind of revenue.")
      .value("an amount such as 9.99") { try? Amount(parsing: $0) }
    let currency = Option("--currency CODE", "The currency of --revenue; the model's unless given.").value(.text)
    let rates = Option("--rates FILE", "Exchange rates; needed for another currency, with --installed-at.").value(.text)
    let window = ModelChoice.window() ?? 0
    let choice = ModelChoice()
    let printsJSON = Option.json("Print JSON: {\"fine\":…,\"coarse\":…,\"lock_window\":…,\"exact\":…} and the model.")

    /// Reads a name and a count, which stand before and after the last `=`. The count is 1 if there is no `=`.
    private static func event(_ text: String) -> (name: String, count: Int)? {
      guard let sign = text.lastIndex(of: "=") else { return (text, 1) }
      let name = String(text[..<sign])
      guard !name.isEmpty, let count = Int(text[text.index(after: sign)...]), count >= 0 else { return nil }
      return (name, count)
    }
  }

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
    options: Options.options,
    example:
      "postback model encode Fixtures/models --app 525463029 --installed-at 2026-03-10 --event purchase --revenue 9.99"
  )

  private let options: Options
  private let paths: [String]
  private let activity: Activity

  init(_ arguments: Arguments) throws {
    paths = try ModelChoice.paths(arguments)
    options = try arguments.read()
    var counts: [String: Int] = [:]
    for (name, count) in options.events {
      guard counts.updateValue(count, forKey: name) == nil else {
        throw CommandFailure(.usage, "The event \(name) is given twice. Give it once, with its whole count.")
      }
    }
    activity = Activity(counts: counts, revenue: options.revenue ?? .zero)
  }

  func run() async throws {
    let (window, conversionType) = (options.window, options.choice.conversionType)
    let model = try options.choice.one(of: Models(loading: paths))
    var activity = activity
    activity.revenue = try revenue(in: model)
    guard let encoding = model.encode(activity, window: window, conversionType: conversionType) else {
      throw CommandFailure(
        .usage,
        "The model \(model.label) of app \(model.appID) does not describe window \(window). Choose another --window."
      )
    }
    for name in Set(activity.counts.keys).subtracting(model.eventNames).sorted() {
      Terminal.warn(
        "The model \(model.label) of app \(model.appID) has no event \(name.quotedExcerpt), so it changes nothing. model show "
          + "prints its events."
      )
    }
    if options.printsJSON { return try Terminal.print(json(model, encoding).description) }
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
  private func revenue(in model: ConversionModel) throws -> Amount {
    guard activity.revenue > .zero, let currency = options.currency, currency != model.currency else {
      return activity.revenue
    }
    guard let target = model.currency else { return activity.revenue }
    guard let path = options.rates, let installDate = options.choice.installDate else {
      throw CommandFailure(
        .usage,
        "The model's currency is \(target). Give --rates and --installed-at to convert the revenue from \(currency)."
      )
    }
    let rates = try CurrencyRates(loading: path)
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
      .init("window", .integer(options.window)),
      .init("fine", .integer(encoding.fine)),
      .init("coarse", .text(encoding.coarse?.rawValue)),
      .init("lock_window", .bool(encoding.locksWindow)),
      .init("exact", .bool(encoding.isExact)),
    ])
  }
}
