internal import PostbackVerification
internal import TableReading
internal import Tables

/// Rejected copies with other unsigned values, and the accepted first copies of the same postbacks.
///
/// The size is bounded, whatever the tables hold.
struct ConflictTable: Sendable {
  /// A rejected copy.
  struct Copy: Sendable {
    /// The key of the first copy's row.
    let key: PostbackKey
    /// The index of its cells in `contents`.
    let content: Int32
    /// Indicates that the reject itself meets the query; its first copy may still do so if it does not.
    let matches: Bool
  }

  /// The copy of a postback that came first, and was accepted.
  struct First: Sendable {
    let origin: CopyOrigin
    /// Indicates that the accepted postback meets the query, as far as its columns allow.
    let matches: Bool
  }

  /// The copies, in the order of the rejects.
  private(set) var copies: [Copy] = []
  /// The distinct cells of copies, as `ConflictReader` reads them.
  private(set) var contents: [GroupKey] = []
  /// The first copies that were found, by postback key.
  private(set) var firsts: [PostbackKey: First] = [:]
  /// The number of copies that are left out, because there are too many.
  private(set) var unfollowed = 0
  private var places: [GroupKey: Int32] = [:]
  private var contentBytes = 0
  private var origins: Set<CopyOrigin> = []

  private static let mostCopies = 500_000
  private static let mostContentBytes = 16 << 20

  /// Adds the copies of a batch; batches must be added in order.
  mutating func add(_ found: some Sequence<ConflictReader.Copy>) {
    for copy in found {
      guard copies.count < Self.mostCopies, let content = place(copy.content) else {
        unfollowed += 1
        continue
      }
      copies.append(Copy(key: copy.key, content: content, matches: copy.matches))
    }
  }

  /// Adds the copies of rejects that come later, without first copies.
  mutating func merge(_ later: ConflictTable) {
    add(later.copies.lazy.map { ($0.key, later.contents[Int($0.content)], $0.matches) })
    unfollowed += later.unfollowed
  }

  private mutating func place(_ content: GroupKey) -> Int32? {
    if let place = places[content] { return place }
    guard contentBytes + content.bytes.count <= Self.mostContentBytes else { return nil }
    contentBytes += content.bytes.count
    let place = Int32(contents.count)
    contents.append(content)
    places[content] = place
    return place
  }

  /// The keys of the postbacks that have such copies.
  var keys: Set<PostbackKey> { Set(copies.lazy.map(\.key)) }

  /// The keys in order.
  var keysInOrder: [PostbackKey] { keys.sorted { ($0.high, $0.low) < ($1.high, $1.low) } }

  /// Adds first copies. If one occurs several times, because the same run was given twice, the first occurrence counts.
  mutating func add(_ found: [ConflictReader.First]) {
    for (key, first) in found where firsts[key] == nil {
      let origin = origins.insert(first.origin).memberAfterInsert
      firsts[key] = First(origin: origin, matches: first.matches)
    }
  }
}

extension ConflictTable {
  /// Writes the copies, all of which meet the query.
  func encode(_ writer: inout ResultWriter) {
    writer.append(contents) { $0.append($1.bytes[...]) }
    writer.append(copies) { writer, copy in
      writer.append(copy.key.high)
      writer.append(copy.key.low)
      writer.append(copy.content)
    }
  }

  /// Reads what `encode` has written.
  init(_ reader: inout ResultReader) {
    let contents = reader.array { GroupKey(bytes: Array($0.slice())) }
    add(
      reader.array { reader in
        let key = PostbackKey(high: reader.integer(), low: reader.integer())
        return (key, contents[Int(reader.integer(Int32.self))], true)
      }
    )
  }
}

/// Reads copies and first copies from rows of the tables.
struct ConflictReader: Sendable {
  /// A rejected copy with other unsigned values; its content is channel, forwarder and conflicting fields.
  typealias Copy = (key: PostbackKey, content: GroupKey, matches: Bool)
  /// An accepted postback, which is the first copy.
  typealias First = (key: PostbackKey, first: ConflictTable.First)

  private let rejects = RejectColumns()
  private let postbacks = PostbackColumns()
  private let content = GroupKeyReader(["channel", "forwarder", "conflicting_fields"], in: .rejects)

  /// Returns true if the current reject is a copy with other unsigned values.
  func isConflict(_ row: borrowing RowCursor) -> Bool { row.cell(rejects.conflictingFields) != nil }

  /// Returns the current reject as a copy; nil if it is not one, or if the key of its first copy is invalid.
  func copy(_ row: borrowing RowCursor, matches: Bool) -> Copy? {
    guard isConflict(row), let key = row.key(rejects.firstSeen) else { return nil }
    var content = GroupKey()
    self.content.read(row, into: &content)
    return (key, content, matches)
  }

  /// Returns the current accepted postback as a first copy; nil if its key is not among `keys`.
  func first(_ row: borrowing RowCursor, among keys: Set<PostbackKey>, matches: Bool) -> First? {
    guard !keys.isEmpty, let key = row.key(postbacks.key), keys.contains(key) else { return nil }
    let origin = CopyOrigin(channel: row.text(postbacks.channel), forwarder: row.text(postbacks.forwarder))
    return (key, ConflictTable.First(origin: origin, matches: matches))
  }
}
