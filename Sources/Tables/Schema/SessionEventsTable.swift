extension Table {
  /// The table of sessions and events that apps' servers send.
  package static let sessionEvents = Table(
    name: "s2s_events",
    description: """
      A session or an event of an app, as it was sent to `/v1/events`, with the metadata of the app's updates of its \
      conversion value. A value that its column cannot have is in `extras`, as are parameters of other names.
      """,
    columns: [
      Column(.receivedAt, .time, .required, "The time at which the receiver got the event."),
      Column(.appBundleID, .text, "The bundle id of the app."),
      Column(.appVersion, .text, "The version of the app."),
      Column(.platform, .text, "The platform, `iOS`."),
      Column(.osVersion, .text, "The version of the operating system."),
      Column(.sdkKey, .text, "The SDK key, which is part of the app and no secret."),
      Column(.sessionEvent, .text, "The event; `__SESSION__` if the app was opened."),
      Column(.idfa, .text, "The first 80 bits of the SHA-256 of the advertising id; empty if it was sent empty."),
      Column(.idfv, .text, "The first 80 bits of the SHA-256 of the vendor's id of the device."),
      Column(.currentFineValue, .integer(0...63), "The fine value that the app set last."),
      Column(.previousFineValue, .integer(0...63), "The fine value before it."),
      Column(.firstCall, .count, "The first call of Apple's API, in seconds since 1970; 0 before it."),
      Column(.lastCall, .count, "The latest call of Apple's API, in seconds since 1970."),
      Column(.totalPurchases, .object, "The revenue of in-app purchases so far, by currency."),
      Column(.totalAds, .object, "The revenue of ads so far, by currency."),
    ] + windows,
    rules: []
  )

  /// The columns of the conversion windows.
  private static let windows: [Column] = {
    let names: [(ColumnName, ColumnName, ColumnName, ColumnName, ColumnName)] = [
      (.coarse0, .previousCoarse0, .lock0, .purchases0, .ads0),
      (.coarse1, .previousCoarse1, .lock1, .purchases1, .ads1),
      (.coarse2, .previousCoarse2, .lock2, .purchases2, .ads2),
    ]
    let columns = names.enumerated().flatMap { window, names in
      [
        Column(names.0, .integer(0...2), "The coarse value that the app set last in window \(window)."),
        Column(names.1, .integer(0...2), "The coarse value before it."),
        Column(names.2, .count, "The time of the update that locked window \(window), in seconds since 1970."),
        Column(names.3, .object, "The revenue of in-app purchases in window \(window), by currency."),
        Column(names.4, .object, "The revenue of ads in window \(window), by currency."),
      ]
    }
    return columns + [
      Column(.extras, .object, "Other parameters, and those whose values their columns cannot have.")
    ]
  }()
}
