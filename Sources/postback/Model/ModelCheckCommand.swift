internal import Base
internal import ConversionModel
internal import JSON

/// `postback model check`: lists all problems of conversion models.
struct ModelCheckCommand: Command {
  struct Options: OptionGroup {
    let printsJSON = Option.json("Print JSON: {\"models\":[…],\"problems\":[{\"file\":…,\"pointer\":…,\"reason\":…}]}.")
  }

  static let manual = Manual(
    name: "model check",
    summary: "Check conversion models, and list every problem with its place.",
    usage: "PATH… [--json]",
    discussion: """
      PATH is a file with a model or an array of models, or a folder of such files (*.json). Each problem is
      printed as FILE: JSON POINTER: REASON, and the exit status is 65. All PATHs are checked together, because the
      models of an app must not overlap in time. A value that names an event twice is allowed, and warned of.
      """,
    options: Options.options,
    example: "postback model check Fixtures/models"
  )

  private let paths: [String]
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    paths = try ModelChoice.paths(arguments)
    printsJSON = try arguments.read(Options.self).printsJSON
  }

  func run() async throws {
    let models: Models
    do throws(ModelErrors) { models = try Models(loading: paths) } catch {
      if printsJSON { try Terminal.print(Self.json([], error.problems).description) }
      throw error
    }
    for model in models.all {
      for window in model.windows { Self.warnOfRepeatedEvents(model, window) }
    }
    if printsJSON {
      return try Terminal.print(Self.json(models.all, []).description)
    }
    guard !Terminal.isQuiet else { return }
    for app in models.appIDs {
      let labels = models.models(for: app).map(\.label.description)
      try Terminal.print("app \(app): \(labels.joined(separator: ", "))")
    }
    try Terminal.print("The models of \(models.appIDs.count) apps have no problems.")
  }

  /// Warns of the first value of a window that names an event twice.
  private static func warnOfRepeatedEvents(_ model: ConversionModel, _ window: ModelWindow) {
    let fine = window.fineValues.map { ("\($0)", window.meaning(fine: $0)) }
    let coarse = CoarseValue.allCases.map { ($0.rawValue, window.meaning(coarse: $0)) }
    for (value, meaning) in fine + coarse {
      var names: Set<String> = []
      guard let event = meaning?.events.first(where: { !names.insert($0.name).inserted }) else { continue }
      return Terminal.warn(
        "\(model.label) of app \(model.appID), window \(window.postbackSequenceIndex): The value \(value) names the event "
          + "\(event.name.quotedExcerpt) twice. skan_events has a row for each, and the daily tables take the first alone. Put "
          + "its count and its revenue into one."
      )
    }
  }

  private static func json(_ models: [ConversionModel], _ problems: [ModelProblem]) -> JSONValue {
    .object([
      .init(
        "models",
        .array(
          models.map { model in
            .object([
              .init("app_id", .integer(model.appID)), .init("model_id", .string(model.label.modelID)),
              .init("model_version", .integer(model.label.version)),
            ])
          }
        )
      ),
      .init(
        "problems",
        .array(
          problems.map { problem in
            .object([
              .init("file", .string(problem.file)), .init("pointer", .string(problem.pointer)),
              .init("reason", .string(problem.reason)),
            ])
          }
        )
      ),
    ])
  }
}
