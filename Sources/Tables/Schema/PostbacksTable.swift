internal import ConversionModel
internal import PostbackVerification
internal import SKAdNetwork

extension Table {
  /// The table of accepted postbacks.
  package static let postbacks = Table(
    name: "skan_postbacks",
    description: """
      An accepted postback: a trusted key signed it, it is allowed, and it is the first of its kind. In CSV a null is \
      an empty field, an empty text is `""`, lists are joined by semicolons, and `extras` is JSON text.
      """,
    key: .postbackKey,
    columns: appleColumns + [
      Column(
        .keyID,
        .nonEmptyText,
        .required,
        """
        The trusted key that verified the signature: Apple's `kid` (`apple-cas-identifier/0`, also for SKAdNetwork \
        from 2.1 on), `apple-skadnetwork-p192` before 2.1, or the name that `--trust-key` gave.
        """
      ),
      Column(
        .environment,
        .word(of: Environment.self),
        .required,
        """
        `production`; `development` if a development key of Apple signed the postback, or if a signed id is one of \
        Apple's placeholders for tests (an app or a source app of 0, or the ad network \
        `development.adattributionkit`); `custom` if a key of `--trust-key` signed it.
        """
      ),
      Column(
        .signatureState,
        .word(SignatureState.allCases.filter(\.isAccepted).map(\.rawValue)),
        .required,
        """
        `valid`; `valid_zero_filled` if the signature is right after a `source-app-id` of 0 or an empty \
        `source-domain` is left out, which a forwarder had filled in; `development` if a development key of Apple \
        signed it (only with `--allow-development`).
        """
      ),
      Column(
        .signatureR,
        .text(matching: "^[A-Za-z0-9_-]{11}$"),
        """
        The first 64 bits of the signature's r, without the zero bytes before it, in base64 for URLs (RFC 4648, section 5) \
        without padding. No two postbacks of Apple have the same one, so a reject that has it carries this signature, in whatever \
        encoding. Null in rows of versions without this column.
        """
      ),
      Column(
        .coercedFields,
        .words(Field.allCases.filter(\.isCoercible).map(\.name)),
        """
        Apple's names of the fields that were written in another form with the same meaning: a number or a Boolean \
        as a string, a string as a number, 42.0 for 42, a word or a country in another letter case, UK for GB, `""` for \
        null, a signature or a JWS in another encoding. Null if there is none.
        """
      ),
      Column(
        .tierFlags,
        .words(TierFlags.names.map(\.name)),
        """
        Combinations that Apple's data tiers make impossible, so that somebody edited unsigned fields, and values \
        that could not be read. Null if there is none.
        """
      ),
      .channel,
      .forwarder,
      .remoteAddress,
      .receivedAt,
      .receivedAtSource,
      Column(
        .estimatedInstallDate,
        .time,
        """
        The middle of the two following columns. In AdAttributionKit it is the middle of the dates that are possible \
        if the system has not locked the window early, as is usual. Null if either is null.
        """
      ),
      Column(
        .installDateEarliest,
        .time,
        """
        The earliest time of the first launch that the time of receipt, the version, the window and the conversion \
        model allow. Null if `received_at` is null, and in the environment `development`, where a test may arrive \
        minutes after the launch.
        """
      ),
      Column(
        .installDateLatest,
        .time,
        """
        The latest possible time of the first launch. It is `received_at` itself in the environment `development`. \
        Null if `received_at` is null.
        """
      ),
      Column(
        .modelID,
        .text,
        """
        The conversion model in force. If `decode_status` is `ambiguous`, the models that disagree, the earliest \
        first, such as `revenue@2|revenue@3`, with `none` in the place of a part of the time without a model. Null if no \
        model counts.
        """
      ),
      Column(
        .modelVersion,
        .version,
        "The version of the model. Null unless `decode_status` is `decoded` or `unmapped`."
      ),
      Column(
        .decodeStatus,
        .word(of: DecodeStatus.self),
        .required,
        """
        `decoded`; `null` if the postback has no value; `unmapped` if the model does not list the value; `no_model` \
        if the app has no model for that time; `ambiguous` if the models of the possible install dates disagree; \
        `not_won` if `did_win` is false.
        """
      ),
      Column(
        .skanRevenue,
        .money,
        """
        The estimated revenue, in `currency`. It is 0 if the value means that there was none. Null unless decoded, \
        and if the model has no currency.
        """
      ),
      .minRevenue,
      .maxRevenue,
      .currency,
      Column(
        .cumulative,
        .boolean,
        """
        True if the values of this window include the earlier windows, as the model says: then revenue is never \
        added to that of earlier windows of the same users. Null unless `decode_status` is `decoded`.
        """
      ),
      Column(
        .extras,
        .object,
        """
        All other keys of the postback, as they were sent, and the parameters of the HTTP query as `query.NAME`. \
        Nothing in it is signed, except what is under `jws-string`. Null if there is none.
        """
      ),
      .sourceFile,
      .sourceLine,
      Column(
        .rawBody,
        .nonEmptyText,
        """
        The postback as it was received, byte for byte; of an envelope its body, in which a receiver has put spaces in place \
        of line ends. Null without `--keep-raw`.
        """
      ),
    ],
    rules: postbackRules
  )
}

extension SignatureState {
  /// Indicates that a postback in this state can be in `skan_postbacks`. The other states have reject codes.
  fileprivate var isAccepted: Bool {
    switch self {
    case .valid, .validZeroFilled, .development: true
    case .invalid, .unknownKey, .malformed: false
    }
  }
}

extension Field {
  /// Indicates that a postback may have the field in another form with the same meaning.
  fileprivate var isCoercible: Bool {
    switch type {
    case .integer, .boolean, .sourceIdentifier, .countryCode, .word: self != .channel
    case .signature: true
    case .text: self == .version
    case .domain, .json: false
    }
  }
}
