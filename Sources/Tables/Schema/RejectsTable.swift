internal import SKAdNetwork

extension Table {
  /// The table of rejected records.
  package static let rejects = Table(
    name: "skan_rejects",
    description: """
      A record of the input that was rejected, with the reason and with its bytes. `ad_network_id`, `transaction_id`, \
      `app_id` and `version` are unchecked texts here. In CSV a null is an empty field, an empty text is `""`, and \
      `conflicting_fields` is JSON text.
      """,
    columns: [
      Column(
        .stage,
        .word(of: RejectStage.self),
        .required,
        """
        The stage that rejected the record: `parse` if the bytes are not a JSON object, `schema` if the object is \
        not a postback of the version that it names, `signature` if no trusted key signed it, `policy` if it is not \
        allowed here, `dedup` if it came before.
        """
      ),
      Column(
        .rejectCode,
        .word(of: RejectCode.self),
        .required,
        "The reason, a stable code that belongs to one stage."
      ),
      Column(.rejectDetail, .nonEmptyText, .required, "The reason in words. The words may change."),
      Column(
        .field,
        .text,
        """
        The key that is wrong, at most 200 bytes. For `duplicate_conflict` it is the first of `conflicting_fields`. \
        Null if it is not a single key.
        """
      ),
      Column(
        .expected,
        .text,
        """
        The expected content, in words. For `duplicate_conflict` it is the value of the first copy. Null if `field` \
        is null, and if the first copy has no value.
        """
      ),
      Column(.found, .text, "The content that is there, at most 200 bytes. Null if nothing is there."),
      Column(.adNetworkID, .text, "The ad network that the record names, unchecked. Null if it names none."),
      Column(.transactionID, .text, "The transaction that the record names, unchecked. Null if it names none."),
      Column(.appID, .text, "The app that the record names, as text, unchecked. Null if it names none."),
      Column(.version, .text, "The version that the record names, as text, unchecked. Null if it names none."),
      Column(
        .firstSeenPostbackKey,
        .key,
        "The row of `skan_postbacks` that this record duplicates. Null unless `stage` is `dedup`."
      ),
      Column(
        .conflictingFields,
        .objects(conflict),
        """
        The unsigned fields that differ from the first copy, each with `field`, `first` and `later`. Null unless the \
        code is `duplicate_conflict`.
        """
      ),
      .channel,
      .forwarder,
      .remoteAddress,
      .receivedAt,
      .receivedAtSource,
      .sourceFile,
      .sourceLine,
      Column(
        .query,
        .text,
        """
        The query of the request, from the envelope, without parameters such as `ip` unless `--keep-addresses` was \
        given. Null if the envelope does not give it.
        """
      ),
      Column(
        .rawSHA256,
        .text(matching: "^[0-9a-f]{64}$"),
        .required,
        """
        The SHA-256 of the bytes in `raw_body`. For `too_large` it is that of all bytes of the record, of which not all \
        are kept.
        """
      ),
      Column(
        .rawBody,
        .text,
        """
        The bytes of the postback, unchanged and without the envelope around it. If the record could not be read, its \
        bytes without the value of `remote_address`, and without such parameters in its `query`. Null if they are not \
        UTF-8 or contain a NUL.
        """
      ),
      Column(
        .rawBodyBase64,
        .text(matching: "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"),
        """
        The bytes in base64 if `raw_body` cannot hold them.
        """
      ),
    ],
    rules: rejectRules
  )

  /// The members of an element of `conflicting_fields`.
  private static let conflict = [
    Column(
      .field,
      .word(UnsignedFields.fields.map(\.name)),
      .required,
      """
      Apple's name of the field. `redownload` and `source-app-id` are unsigned in 1.0 only, and `source-domain` beside \
      a signed `source-app-id`.
      """
    ),
    Column(
      .first,
      .text,
      """
      The value in the first copy, as text: `unreadable` if it could not be read, and `other` for a `source-domain`, \
      which is in the extras of the row of `first_seen_postback_key`. Null if the first copy has no value.
      """
    ),
    Column(.later, .text, "The value in this copy, as text, in the same form. Null if this copy has no value."),
  ]

  private static var rejectRules: [RowRule] {
    RejectStage.allCases.map(codes) + [
      .when(
        [.stage: .equals(RejectStage.dedup)],
        then: [.firstSeenPostbackKey: .present],
        otherwise: [.firstSeenPostbackKey: .null]
      ),
      .when([.stage: .equals(RejectStage.parse)], then: [.expected: .null, .found: .null]),
      .when([.stage: .equals(RejectStage.schema)], then: [.field: .present, .expected: .present]),
      .when(
        [.stage: .isAmong([RejectStage.signature, .policy, .dedup])],
        then: [.adNetworkID: .present, .transactionID: .present, .appID: .present]
      ),
      .when(
        [.rejectCode: .equals(RejectCode.duplicateConflict)],
        then: [.conflictingFields: .present, .field: .present],
        otherwise: [.conflictingFields: .null]
      ),
      .when([.field: .null], then: [.expected: .null, .found: .null]),
      .when([.rawBody: .null], then: [.rawBodyBase64: .present], otherwise: [.rawBodyBase64: .null]),
    ]
  }

  /// Returns the rule that a stage gives its own codes.
  private static func codes(of stage: RejectStage) -> RowRule {
    .when(
      [.stage: .equals(stage)],
      then: [.rejectCode: .isAmong(RejectCode.allCases.filter { $0.stage == stage })]
    )
  }
}
