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
      models of an app must not overlap in time.
      """,
    options: Options.options,
    example: "postback model check Fixtures/models"
  )

  private let paths: [String]
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(CommandFailure) {
    paths = try ModelChoice.paths(arguments)
    printsJSON = try arguments.read(Options.self).printsJSON
  }

  func run() async throws(CommandFailure) {
    let models: Models
    do throws(ModelErrors) { models = try Models(loading: paths) } catch {
      if printsJSON { try Terminal.print(Self.json([], error.problems).description) }
      throw CommandFailure(.configuration, lines: error)
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

extension Models {
  /// Loads the models at these paths. Throws a failure that lists all their problems.
  init(checking paths: [String]) throws(CommandFailure) {
    do { try self.init(loading: paths) } catch { throw CommandFailure(.configuration, lines: error) }
  }
}
