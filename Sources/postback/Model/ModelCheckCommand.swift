internal import ConversionModel

/// `postback model check`: says what is wrong with conversion models, all of it.
struct ModelCheckCommand: Command {
  static let manual = Manual(
    name: "model check",
    summary: "Check conversion models: all that is wrong, each with its place.",
    usage: "PATH…",
    discussion: """
      PATH is a file with a model or an array of models, or a folder of such files (*.json). Everything that is wrong is
      printed as FILE: JSON POINTER: REASON, and the exit status is 65. All PATHs are checked together, as a run takes
      them: models of an app must not overlap in time.
      """,
    options: [],
    example: "postback model check Fixtures/models"
  )

  private let paths: [String]

  init(_ arguments: Arguments) throws(CommandFailure) {
    paths = try ModelChoice.paths(arguments)
  }

  func run() async throws(CommandFailure) {
    let models = try Models(checking: paths)
    for app in models.appIDs {
      let labels = models.models(for: app).map(\.label.description)
      try Terminal.print("app \(app): \(labels.joined(separator: ", "))")
    }
    try Terminal.print("\(models.appIDs.count) apps, nothing wrong")
  }
}

extension Models {
  /// The models of these paths, or the failure that tells all that is wrong with them.
  init(checking paths: [String]) throws(CommandFailure) {
    do { try self.init(loading: paths) } catch { throw CommandFailure(.configuration, "\(error)") }
  }
}
