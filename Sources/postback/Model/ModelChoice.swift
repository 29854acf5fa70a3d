internal import Base
internal import ConversionModel

/// Options that choose one of several models, windows and conversion types.
enum ModelChoice {
  static let app = Option("--app", "N", "The app's App Store id; not needed where there is only one app.")
  static let model = Option("--model", "ID@VERSION", "The version of a model, such as revenue@2.")
  static let installedAt = Option(
    "--installed-at",
    "TIME",
    "The model in force for installs at this time: RFC 3339, or a date."
  )
  static let window = Option("--window", "N", "The conversion window, 0 to 2; 0 unless given.")
  static let conversionType = Option(
    "--conversion-type",
    "TYPE",
    "install or re-engagement; for models with windows of their own for these."
  )

  /// The paths that a command was given.
  static func paths(_ arguments: Arguments) throws(CommandFailure) -> [String] {
    guard !arguments.operands.isEmpty else {
      throw CommandFailure(.usage, "Give the path of a model file, or of a folder of model files.")
    }
    return arguments.operands
  }

  /// The value of `--installed-at`.
  static func installDate(_ arguments: Arguments) throws(CommandFailure) -> Timestamp? {
    try arguments.time(installedAt.name)
  }

  /// The value of `--conversion-type`.
  static func conversionType(_ arguments: Arguments) throws(CommandFailure) -> ConversionType? {
    try arguments.value(conversionType.name, ConversionType.allCases.map(\.rawValue).joined(separator: " or ")) {
      ConversionType(rawValue: $0)
    }
  }

  /// Returns the models that match `--app` and `--model`, by app and time. Throws if there are none.
  static func all(_ arguments: Arguments, of models: Models) throws(CommandFailure) -> [ConversionModel] {
    let app = try arguments.value(app.name, "an App Store id") { Int64($0) }
    let label = arguments.value(model.name)
    let chosen = models.all.filter { model in
      (app == nil || model.appID == app) && (label == nil || model.label.description == label)
    }
    guard chosen.isEmpty else { return chosen }
    let wanted = (label.map { "model \($0)" } ?? "model") + (app.map { " of app \($0)" } ?? "")
    let known = models.all.map { "\($0.label) of app \($0.appID)" }
    throw CommandFailure(.usage, "There is no \(wanted). The models are \(known.joined(separator: ", ")).")
  }

  /// Returns the one model that matches `--app`, `--model` and `--installed-at`. Throws if there are none, or several.
  static func one(_ arguments: Arguments, of models: Models) throws(CommandFailure) -> ConversionModel {
    let all = try all(arguments, of: models)
    let date = try installDate(arguments)
    let chosen = all.filter { model in date.map { model.span.contains($0) } ?? true }
    if let only = chosen.first, chosen.count == 1 { return only }
    let names = (chosen.isEmpty ? all : chosen).map { "\($0.label) of app \($0.appID), \($0.span)" }
    throw CommandFailure(
      .usage,
      chosen.isEmpty
        ? "No model applies to installs at that time. The models are:"
        : "Several models match. Choose one with --app, --model or --installed-at. The models are:",
      details: names.map { "  \($0)" }
    )
  }
}
