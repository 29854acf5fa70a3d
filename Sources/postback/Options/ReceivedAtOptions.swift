internal import PostbackPipeline

/// The options for the times at which postbacks were received.
struct ReceivedAtOptions: OptionGroup {
  private let time = Option(
    "--received-at TIME",
    "The time at which postbacks without an envelope were received: RFC 3339, or a date."
  ).value(.time)
  private let field = Option(
    "--received-at-field NAME",
    "A key of the postback that holds this time: RFC 3339 or Unix time. Without either option, the\nmodification time of the input file is used."
  ).value("the name of a key") { $0.isEmpty || $0.utf8.contains { $0 < 0x20 } ? nil : $0 }

  var rule: ReceivedAtRule { ReceivedAtRule(time: time, field: field) }
}
