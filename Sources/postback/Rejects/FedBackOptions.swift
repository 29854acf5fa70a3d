internal import Analysis
internal import PostbackPipeline

/// The options that say whether rejects count that were taken up again.
enum FedBackOptions {
  static let inclusion = Option(
    "--include-fed-back",
    nil,
    "Count rejects that run --from-rejects has taken up again, too."
  )
  static let options = [
    inclusion,
    Option(
      "--state",
      "DIR",
      "The state of an OUT, where it is not in OUT/_state: it knows what was taken up\nagain. May be repeated."
    ),
  ]

  /// The files without the rejects that were taken up again, unless the options say otherwise.
  static func chosen(_ rejects: TableFiles, _ arguments: Choice) throws(CommandFailure) -> TableFiles {
    guard !arguments.includesFedBack else { return rejects }
    do throws(StateFailure) { return try rejects.withoutFedBack(states: arguments.states) } catch {
      throw CommandFailure(error)
    }
  }

  /// Reads the options.
  struct Choice: Sendable {
    let includesFedBack: Bool
    let states: [String]

    init(_ arguments: Arguments) {
      includesFedBack = arguments.has(inclusion.name)
      states = arguments.all("--state")
    }
  }
}
