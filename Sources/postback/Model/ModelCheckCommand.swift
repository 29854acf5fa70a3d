internal import Answers
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
      models of an app must not overlap in time. Warned of is what is allowed: a value that names an event twice, times
      between two versions without a model, a currency that ISO 4217 does not have, an event that apps cannot send, and
      what is not read of a folder.
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
    for entry in paths.flatMap(Models.unreadEntries) {
      Terminal.warn("\(entry) is not read: of a folder only files *.json in it are. Name it, too, if it has models.")
    }
    models.warnings.forEach(Terminal.warn)
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
