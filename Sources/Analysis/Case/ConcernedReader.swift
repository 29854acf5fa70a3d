internal import ConversionModel
internal import JSON
internal import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork
internal import TableReading
internal import Tables

/// Reads the suspicious rejects of a case, those that may be late resends, and the accepted copies of the same postbacks.
struct ConcernedReader: Sendable {
  /// An accepted postback.
  struct First: Sendable {
    let copy: ConcernedTransaction.Copy
    /// The time of receipt in milliseconds since 1970; nil if it is not known.
    let time: Int64?
    let window: String?
    /// The app, the version and the window.
    let place: GroupKey
    /// Indicates that it meets the conditions.
    let matches: Bool
  }

  /// The mark of a value that is the accepted copy's.
  static let unchanged = "\u{0}="

  private let filter: RowFilter
  private let acceptedFilter: RowFilter?
  private let wantsRevenue: Bool
  /// The keys of the accepted postbacks that are read.
  var keys: Set<PostbackKey> = []

  private let conflicts = ConflictReader()
  private let rejects = RejectColumns()
  private let columns = PostbackColumns()
  private let place = GroupKeyReader(["app_id", "version", "postback_sequence_index"], in: .postbacks)
  private let values: [Int] = [.conversionValue, .coarseConversionValue, .countryCode].map { Table.postbacks.place($0) }

  init(_ query: RejectQuery, wantsRevenue: Bool) {
    filter = RowFilter(query.conditions, during: query.span, in: .rejects)
    acceptedFilter =
      query.isOfRejectsAlone ? nil : RowFilter(query.conditions, during: query.span, in: .postbacks)
    self.wantsRevenue = wantsRevenue
  }

  // MARK: - Rejects

  /// The suspicious rejects of a batch that meet the conditions, the copies with other values whose accepted copy may, and the
  /// identical copies that meet them, of which some are late.
  func rejects(in batch: RawBatch) -> [(row: ConcernedTransaction, matches: Bool)] {
    var found: [(row: ConcernedTransaction, matches: Bool)] = []
    var row = RowCursor(batch, of: .rejects)
    while row.next() {
      let text = row.text(rejects.code) ?? ""
      let isIdentical = text == RejectCode.duplicateIdentical.rawValue
      guard isIdentical || RejectCode(rawValue: text)?.rejectClass == .suspicious else { continue }
      let matches = filter.matches(row)
      let isConflict = conflicts.isConflict(row)
      guard matches || isConflict else { continue }
      let values =
        isIdentical
        ? ConcernedTransaction.fields.map { _ in Self.unchanged }
        : isConflict ? Self.differing(row.text(rejects.conflictingFields)) : Self.values(ofBody: row.text(rejects.body))
      let later = ConcernedTransaction.Copy(
        origin: CopyOrigin(channel: row.text(rejects.channel), forwarder: row.text(rejects.forwarder)),
        receivedAt: row.text(rejects.receivedAt),
        values: values
      )
      let transaction = ConcernedTransaction(
        code: text,
        transaction: row.text(rejects.transactionID),
        network: row.text(rejects.adNetworkID),
        app: row.text(rejects.appID),
        later: later,
        time: row.time(rejects.receivedAt),
        digest: row.text(rejects.digest) ?? "",
        key: row.key(rejects.firstSeen)
      )
      found.append((transaction, matches))
    }
    return found
  }

  /// The values that differ, by `conflicting_fields`; the others are `unchanged`.
  private static func differing(_ text: String?) -> [String?] {
    guard let text, case .array(let fields)? = try? JSONValue(parsing: Array(text.utf8)) else {
      return ConcernedTransaction.fields.map { _ in unchanged }
    }
    return ConcernedTransaction.fields.map { name in
      guard let field = fields.first(where: { $0["field"]?.text == name }) else { return unchanged }
      return field["later"]?.text
    }
  }

  /// The values in a rejected record, as far as it is a JSON object that has them.
  private static func values(ofBody text: String?) -> [String?] {
    let body = text.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
    return ConcernedTransaction.fields.map { name in body?[name].flatMap { $0 == .null ? nil : $0.text ?? "\($0)" } }
  }

  // MARK: - Accepted postbacks

  /// The accepted postbacks of a batch with one of the keys, and the meanings of all values.
  func accepted(
    in batch: RawBatch
  ) -> (firsts: [PostbackKey: First], meanings: [GroupKey: ConcernedTransactions.Meaning]) {
    var firsts: [PostbackKey: First] = [:]
    var meanings: [GroupKey: ConcernedTransactions.Meaning] = [:]
    var group = GroupKey()
    var row = RowCursor(batch, of: .postbacks)
    while row.next() {
      let isWanted = row.key(columns.key).map(keys.contains) == true
      guard isWanted || wantsRevenue else { continue }
      place.read(row, into: &group)
      let values = values.map { row.text($0) }
      var revenue: (amount: Amount, currency: String)?
      if wantsRevenue, let currency = row.text(columns.currency), let amount = row.amount(columns.revenue) {
        revenue = (amount, currency)
        let key = Self.meaningKey(group, values)
        let meaning = ConcernedTransactions.Meaning.revenue(amount, currency)
        meanings[key] = meanings[key] ?? meaning == meaning ? meaning : .several
      }
      guard isWanted, let key = row.key(columns.key) else { continue }
      firsts[key] = First(
        copy: ConcernedTransaction.Copy(
          origin: CopyOrigin(channel: row.text(columns.channel), forwarder: row.text(columns.forwarder)),
          receivedAt: row.text(columns.receivedAt),
          values: values,
          revenue: revenue
        ),
        time: row.time(columns.receivedAt),
        window: row.text(columns.window),
        place: group,
        matches: acceptedFilter?.matches(row) == true
      )
    }
    return (firsts, meanings)
  }

  /// The key of a value's meaning: the place with the fine value, or else the coarse one.
  static func meaningKey(_ place: GroupKey, _ values: [String?]) -> GroupKey {
    var key = place
    for value in [values[0], values[0] == nil ? values[1] : nil] { key.append(value) }
    return key
  }
}
