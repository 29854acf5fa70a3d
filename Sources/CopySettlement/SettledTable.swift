internal import ConversionModel
internal import PostbackCopies
internal import SKAdNetwork
package import Tables

/// The certainty of the effective values of a row of `skan_settled`, as its `effective_decode_status` has it.
package enum SettledStatus {
  /// The word for values of devices' own copies that contradict each other.
  package static let conflict = "conflict"
  /// All words.
  static let words = DecodeStatus.allCases.map(\.rawValue) + [conflict]
}

extension Table {
  /// The table of all copies of accepted postbacks, with the values that count.
  package static let settled = Table(
    name: "skan_settled",
    description: """
      All copies of an accepted postback together: the agreement of their unsigned fields, and the values that count, with \
      what they decode to. There is one row for each row of `skan_postbacks`, in the same order. In CSV a null is an \
      empty field.
      """,
    key: .postbackKey,
    columns: copyColumns + UnsignedField.allCases.flatMap(\.columns) + effectiveColumns + revenueColumns,
    rules: settledRules
  )

  /// The table of the events that the effective values of `skan_settled` decode to, with the columns of `skan_events`.
  package static let settledEvents = Table(
    name: "skan_settled_events",
    description: """
      An event that the effective values of an accepted postback decode to. A postback whose `effective_decode_status` in \
      `skan_settled` is `decoded` has one row for each event, in the order of the model; other postbacks have none. The \
      columns are those of `skan_events`. In CSV a null is an empty field.
      """,
    columns: events.columns,
    rules: events.rules
  )

  private static let copyColumns = [
    Column(.postbackKey, .key, .required, "The postback, a row of `skan_postbacks`."),
    Column(.copiesDirect, .integer(0...Int64.max), .required, "The number of copies that came as a device's own."),
    Column(
      .copiesForwarded,
      .integer(0...Int64.max),
      .required,
      "The number of other copies: those of forwarders, and those whose channel is not known."
    ),
    Column(
      .forwarders,
      .nonEmptyText,
      "The names of the forwarders, sorted and joined by semicolons. Null if no copy names one."
    ),
    Column(
      .firstChannel,
      .word(of: Channel.self),
      "The channel of the copy that was received first. Null if it is not known."
    ),
    Column(
      .directReceivedAt,
      .time,
      "The time of receipt of the first copy that came as a device's own. Null if there is none, or no time."
    ),
    Column(
      .forwardedReceivedAt,
      .time,
      "The time of receipt of the first other copy. Null if there is none, or no time."
    ),
    Column(
      .lag,
      .integer(Int64.min...Int64.max),
      "The whole seconds from `direct_received_at` to `forwarded_received_at`; negative if the forwarder was faster."
    ),
  ]

  private static let effectiveColumns = [
    Column(
      .trustLevel,
      .integer(0...4),
      .required,
      """
      The certainty of the unsigned values: 4 if devices and forwarders agree; 3 if there are devices' own copies alone; \
      2 if there are copies of forwarders alone, of which one is named; 1 if none is; 0 if any field is in conflict. It \
      is that of the less certain of both conversion values, and in 1.0 of the other fields. Copies whose value cannot be \
      read do not count; it is 1 if none can be read.
      """
    ),
    Column(
      .effectiveDecidedBy,
      .word(of: DecidingChannel.self),
      """
      The channel of the copy that decides: `direct` or `forwarded`. Null if devices' own copies contradict each other, \
      so that no value counts.
      """
    ),
    Column(
      .effectiveReceivedAt,
      .time,
      """
      The time of receipt of the copy that decides. Null if none decides, because devices' own copies contradict each other, \
      and if it is not known. Such a postback is counted on the day of `direct_received_at`.
      """
    ),
    Column(
      .effectiveConversionValue,
      .integer(0...63),
      "The fine conversion value that counts. Null if there is none."
    ),
    Column(
      .effectiveCoarseConversionValue,
      .word(of: CoarseConversionValue.self),
      "The coarse conversion value that counts. Null if there is none."
    ),
    Column(.effectiveCountryCode, .text(matching: "^[A-Z]{2}$"), "The country that counts. Null if there is none."),
    Column(
      .effectiveAdInteractionType,
      .word(of: AdInteractionType.self),
      "The ad interaction type that counts, of AdAttributionKit. Null if there is none."
    ),
    Column(
      .effectiveRedownload,
      .boolean,
      "The value of `redownload` that counts, in version 1.0. Null in others, which sign it."
    ),
    Column(
      .effectiveSourceAppID,
      .identifier,
      "The source app that counts, in version 1.0. Null in others, which sign it, and if there is none."
    ),
    Column(
      .effectiveZeroMayBeNull,
      .boolean,
      """
      True if `effective_conversion_value` is a 0 of a copy whose other empty fields were filled with zeros, so that it may have \
      been missing. Null without a fine value.
      """
    ),
    Column(
      .effectiveChannel,
      .word(of: Channel.self),
      "The channel of the copy that decides. Null if none decides, and if it is not known."
    ),
    Column(
      .effectiveForwarder,
      .nonEmptyText,
      "The name of the forwarder of the copy that decides. Null if there is none."
    ),
    Column(
      .effectiveDecodeStatus,
      .word(SettledStatus.words),
      .required,
      """
      As `decode_status` of `skan_postbacks`, for the values that count; `conflict` if devices' own copies contradict each \
      other, also of a postback that did not win.
      """
    ),
    Column(
      .effectiveModelID,
      .text,
      "The conversion model, as `model_id` of `skan_postbacks`, for the values that count."
    ),
    Column(
      .effectiveModelVersion,
      .version,
      "The version of the model. Null unless `effective_decode_status` is `decoded` or `unmapped`."
    ),
  ]

  private static let revenueColumns = [
    Column(
      .effectiveRevenue,
      .money,
      """
      The estimated revenue, in `effective_currency`. Null unless decoded, and if the model has no currency.
      """
    ),
    Column(.effectiveMinRevenue, .money, "The least possible revenue. Null if `effective_revenue` is null."),
    Column(
      .effectiveMaxRevenue,
      .money,
      """
      The limit that the revenue stays below, or the exact revenue if it equals `effective_min_revenue`. Null if \
      `effective_revenue` is null, and if there is no upper limit.
      """
    ),
    Column(.effectiveCurrency, .currency, "The ISO 4217 code of the amounts. Null if `effective_revenue` is null."),
    Column(
      .effectiveRevenueKind,
      .word(of: RevenueKind.self),
      "As `revenue_kind` of `skan_events`. Null if `effective_revenue` is null."
    ),
    Column(
      .effectiveCumulative,
      .boolean,
      "As `cumulative` of `skan_postbacks`, for the model of this row. Null unless `effective_decode_status` is `decoded`."
    ),
    Column(
      .effectiveEstimatedInstallDate,
      .time,
      """
      As `estimated_install_date` of `skan_postbacks`, for `effective_received_at`, the value that counts and the models. If \
      no copy decides, for the first device's own copy that counts.
      """
    ),
    Column(
      .effectiveInstallDateEarliest,
      .time,
      "The earliest possible install date, in the same way. Null if it has no limit."
    ),
    Column(
      .effectiveInstallDateLatest,
      .time,
      "The latest possible install date, in the same way. Null if it has no limit."
    ),
  ]

  private static var settledRules: [RowRule] {
    let decoded: RowRule.Conditions = [.effectiveDecodeStatus: .word(DecodeStatus.decoded.rawValue)]
    return [
      .when(decoded, then: [.effectiveCumulative: .present], otherwise: [.effectiveCumulative: .null]),
      .when(
        [.effectiveDecodeStatus: .words([DecodeStatus.decoded.rawValue, DecodeStatus.unmapped.rawValue])],
        then: [.effectiveModelID: .present, .effectiveModelVersion: .present],
        otherwise: [.effectiveModelVersion: .null]
      ),
      .when(
        [.effectiveRevenue: .null],
        then: [
          .effectiveMinRevenue: .null, .effectiveMaxRevenue: .null, .effectiveCurrency: .null,
          .effectiveRevenueKind: .null,
        ],
        otherwise: [.effectiveMinRevenue: .present, .effectiveCurrency: .present, .effectiveRevenueKind: .present]
      ),
      .when(
        [.effectiveDecidedBy: .null],
        then: [
          .effectiveDecodeStatus: .word(SettledStatus.conflict), .trustLevel: .integer(0), .effectiveReceivedAt: .null,
          .effectiveChannel: .null, .effectiveForwarder: .null,
        ]
      ),
    ]
      + UnsignedField.allCases.map { field in
        .when(
          [field.columnNames.state: .word(FieldState.conflict.rawValue)],
          then: [field.columnNames.difference: .present, .trustLevel: .integer(0)],
          otherwise: [field.columnNames.direct: .null, field.columnNames.forwarded: .null]
        )
      }
  }
}
