internal import Base
internal import ConversionModel

/// Options that choose one of several models and conversion types.
struct ModelChoice: OptionGroup {
  let conversionType = Option(
    "--conversion-type TYPE",
    "install, which is the default, or re-engagement; for models with windows of their own for these."
  ).value(ValueKind<ConversionType>.word, else: .install)
  private let app = Self.app()
  /// The install date, by which the model in force is chosen.
  let installDate = Self.installedAt()
  private let label = Self.label()

  /// The value of `--app`.
  static func app() -> Int64? {
    Option("--app N", "The app's App Store id; not needed where there is only one app.").value(.appID)
  }

  /// The value of `--model`.
  static func label() -> String? {
    Option("--model ID@VERSION", "The version of a model, such as revenue@2.").value(.text)
  }

  /// The value of `--installed-at`.
  static func installedAt() -> Timestamp? {
    Option("--installed-at TIME", "The model in force for installs at this time: RFC 3339, or a date.").value(.time)
  }

  /// The value of `--window`; nil if it is absent.
  static func window(_ help: String = "The conversion window, 0 to 2; 0 unless given.") -> Int? {
    Option("--window N", help).value(.integer(in: 0...2))
  }

  /// The paths that a command was given.
  static func paths(_ arguments: Arguments) throws -> [String] {
    try arguments.operands(orAdvise: "Give the path of a model file, or of a folder of model files.")
  }

  /// Returns the models of an app and with a label, by app and time. Throws if there are none.
  static func all(_ app: Int64?, _ label: String?, of models: Models) throws -> [ConversionModel] {
    let chosen = models.all.filter { model in
      (app == nil || model.appID == app) && (label == nil || model.label.description == label)
    }
    guard chosen.isEmpty else { return chosen }
    let wanted = (label.map { "model \($0)" } ?? "model") + (app.map { " of app \($0)" } ?? "")
    let known = models.all.map { "\($0.label) of app \($0.appID)" }
    throw CommandFailure(.usage, "There is no \(wanted). The models are \(known.joined(separator: ", ")).")
  }

  /// Returns the one model that matches `--app`, `--model` and `--installed-at`. Throws if there are none, or several.
  func one(of models: Models) throws -> ConversionModel {
    try Self.one(of: models, app, label, at: installDate)
  }

  /// Returns the one model of an app, with a label, and in force at a time. Throws if there are none, or several.
  static func one(
    of models: Models,
    _ app: Int64?,
    _ label: String?,
    at installDate: Timestamp?
  ) throws -> ConversionModel {
    let all = try Self.all(app, label, of: models)
    let chosen = all.filter { model in installDate.map { model.span.contains($0) } ?? true }
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
