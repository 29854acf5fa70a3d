internal import ConversionModel

extension Table {
  /// The table of events that accepted postbacks decode to.
  package static let events = Table(
    name: "skan_events",
    description: """
      An event that an accepted postback decodes to. A postback whose `decode_status` is `decoded` has one row for \
      each event of its value, in the order of the model; other postbacks have none. In CSV a null is an empty field.
      """,
    columns: [
      Column(.postbackKey, .key, .required, "The postback, a row of `skan_postbacks`."),
      Column(
        .eventName,
        .text(TextForm(pattern: #"^[^\u0000-\u001f\u007f-\u009f]*$"#, minimumLength: 1, maximumLength: 256)),
        .required,
        """
        The name of the event in the model, at most 256 bytes.
        """
      ),
      Column(
        .postbackSequenceIndex,
        .integer(0...2),
        "The conversion window of the postback, 0 to 2. Null before 4.0."
      ),
      Column(
        .eventCount,
        .decimal(precision: 20, scale: 1),
        .required,
        """
        The estimated number of times: the middle of the two following columns, which may be a half, or \
        `min_event_count` if there is no upper limit.
        """
      ),
      Column(.minEventCount, .integer(0...Int64.max), .required, "The least possible number of times."),
      Column(
        .maxEventCount,
        .integer(1...Int64.max),
        "The greatest possible number of times. Null if there is no upper limit."
      ),
      Column(
        .skanRevenue,
        .money,
        "The estimated revenue of all these times together, in `currency`. Null if the event has no revenue."
      ),
      .minRevenue,
      .maxRevenue,
      .currency,
      Column(
        .cumulative,
        .boolean,
        .required,
        """
        True if the values of this window include the earlier windows, as the model says: then counts and revenue \
        are never added to those of earlier windows of the same users.
        """
      ),
      Column(
        .revenueKind,
        .word(of: RevenueKind.self),
        """
        The origin of the revenue: `iap` for in-app purchases, `admon` for ads in the app, `all` for both. Null if \
        `skan_revenue` is null.
        """
      ),
      Column(.modelID, .text(matching: "^[A-Za-z0-9._-]{1,64}$"), .required, "The conversion model that says so."),
      Column(.modelVersion, .version, .required, "The version of the model."),
    ],
    rules: [
      .when(
        [.skanRevenue: .null],
        then: [.minRevenue: .null, .maxRevenue: .null, .currency: .null, .revenueKind: .null],
        otherwise: [.minRevenue: .present, .currency: .present, .revenueKind: .present]
      )
    ]
  )
}
