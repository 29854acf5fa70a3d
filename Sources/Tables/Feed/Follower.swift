package import DurableFiles
internal import Base
internal import JSON
internal import Ledger

/// A program that goes on with committed rows, with the positions up to which it has them. It is a file in the folder
/// `followers` of the state, so that retention can wait for it.
///
/// The file is written after the positions have moved. After a crash or in a backup the positions are earlier ones, never
/// later ones.
package struct Follower: Equatable, Sendable {
  /// The kind of a follower.
  package enum Kind: String, CaseIterable, Sendable {
    /// A database into which the rows are loaded.
    case database
    /// A partner to whom postbacks are delivered.
    case partner
    /// A table that is derived from the rows.
    case derived
  }

  /// The name, which no other follower of the output has.
  package let name: String
  /// The kind; nil if the file is not readable.
  package let kind: Kind?
  /// The position in each table that it follows. A follower whose file is not readable has none.
  package let positions: [TableCursor]
  /// The time at which it was there, in milliseconds since 1970.
  package let seenAt: Int64

  /// Makes a follower that is there now.
  package init(_ name: String, _ kind: Kind, at positions: [TableCursor]) {
    (self.name, self.kind, self.positions, seenAt) = (name, kind, positions, Timestamp.now.milliseconds)
  }

  /// Indicates that the follower has all rows of a part, or does not follow its table. `format` is the one in which the table is
  /// read.
  func hasRead(_ part: LedgerPart, generation: Int, _ ledger: Ledger) throws(FileFailure) -> Bool {
    guard kind != nil else { return false }
    guard let cursor = positions.first(where: { $0.table == part.table }) else { return true }
    if let mark = cursor.mark, try !ledger.has(mark) { return false }
    guard let offset = cursor.offset(in: part.number) else { return true }
    return offset == part.length && cursor.generation == generation
  }
}

// MARK: - Files

extension Follower {
  private static let ending = ".json"
  private static let mostBytes = 1 << 20

  private static func folder(_ state: String) -> String { "\(state)/followers" }

  /// Returns the name of the file of a follower, which has only letters, digits and a few other characters.
  private static func fileName(_ name: String) -> String {
    let text = name.utf8.map { byte -> String in
      if byte.isInNames { return String(UnicodeScalar(byte)) }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    // Longer names are too rare to care for a readable name.
    let joined = text.joined()
    let checksum = CRC32(of: Array(joined.utf8)).value
    return (joined.utf8.count > 150 ? "\(joined.prefix(130))-\(checksum)" : joined) + ending
  }

  /// Writes the follower into a state.
  package func write(in state: String) throws(FileFailure) {
    let folder = try DurableFolder(making: Self.folder(state))
    let text = JSONValue.object([
      .init("name", .string(name)), .init("kind", .string(kind?.rawValue ?? "")),
      .init("positions", .array(positions.map { .string($0.description) })),
      .init("seen_at", .string(Timestamp(milliseconds: seenAt).description)),
    ])
    try WholeFile.replace("\(folder.path)/\(Self.fileName(name))", with: Array("\(text)\n".utf8))
  }

  /// Reads the followers of a state, sorted by name.
  package static func all(of state: String) throws(FileFailure) -> [Follower] {
    let folder = DurableFolder(folder(state))
    var followers: [Follower] = []
    for file in try folder.names() where file.hasSuffix(ending) && !file.hasPrefix(".") {
      let path = "\(folder.path)/\(file)"
      do throws(FileFailure) {
        let bytes = try WholeFile.read(path, upTo: mostBytes)
        followers.append(Follower(parsing: bytes) ?? Follower(unreadable: String(file.dropLast(ending.count))))
      } catch {
        // Another process may have removed it meanwhile.
        if try folder.byteCount(of: file) != nil { throw error }
      }
    }
    return followers.sorted { $0.name < $1.name }
  }

  /// Removes a follower from a state. Returns false if there is none of this name.
  package static func remove(_ name: String, from state: String) throws(FileFailure) -> Bool {
    let folder = DurableFolder(folder(state))
    let file = fileName(name)
    guard try folder.byteCount(of: file) != nil else { return false }
    try folder.remove(file)
    try folder.synchronize()
    return true
  }

  private init(unreadable name: String) { (self.name, kind, positions, seenAt) = (name, nil, [], 0) }

  private init?(parsing bytes: [UInt8]) {
    guard case .object(let members)? = try? JSONValue(parsing: bytes) else { return nil }
    var texts: [String: String] = [:]
    var positions: [TableCursor] = []
    for member in members {
      switch member.value {
      case .string(let text): texts[member.key] = text
      case .array(let elements):
        for element in elements {
          guard case .string(let text) = element, let cursor = TableCursor(text) else { return nil }
          positions.append(cursor)
        }
      default: return nil
      }
    }
    guard let name = texts["name"], let kind = texts["kind"].flatMap({ Kind(rawValue: $0) }),
      let seenAt = texts["seen_at"].flatMap({ Timestamp($0) })
    else { return nil }
    (self.name, self.kind, self.positions, self.seenAt) = (name, kind, positions, seenAt.milliseconds)
  }
}

/// The registration of one follower, which is not written more often than needed.
package struct FollowerRegistration {
  private let name: String
  private let kind: Follower.Kind
  private let state: String
  private var written: [TableCursor]?
  private var writtenAt = ContinuousClock.now

  /// The least time between two writes while the follower goes on.
  private static let interval = Duration.seconds(5)

  /// Makes a registration that is not written yet.
  package init(_ name: String, _ kind: Follower.Kind, in state: String) {
    (self.name, self.kind, self.state) = (name, kind, state)
  }

  /// Notes the positions of the follower if they have moved: now, or with a later call if the last write was just before and
  /// `isLast` is false.
  package mutating func note(_ positions: [TableCursor], isLast: Bool) throws(FileFailure) {
    let isDue = written == nil || isLast || ContinuousClock.now - writtenAt >= Self.interval
    guard isDue, positions != written else { return }
    // Also after a failure, so that it is not repeated at once.
    (written, writtenAt) = (positions, .now)
    try Follower(name, kind, at: positions).write(in: state)
  }
}

extension TableCursor {
  /// The position before the first row of a table.
  package init(startOf table: Table) { self.init(table: table.name, generation: 0, part: 1, offset: 0) }

  /// Returns the positions behind the complete parts of tables, whose files can be seen in an output. Read without the lock.
  package static func ends(
    of tables: [Table],
    in output: String,
    state: String
  ) throws(FileFailure) -> [TableCursor] {
    var cursors: [TableCursor] = []
    for table in tables {
      let committed = try Ledger.committedParts(state, of: table.name, from: 1)
      var cursor = TableCursor(table: table.name, generation: committed.generation, part: 1, offset: 0)
      for part in committed.parts {
        let isVisible = try DurableFolder("\(output)/\(part.folder)").byteCount(of: part.name) != nil
        let isRead = part.phase == .complete && isVisible
        cursor = cursor.moved(to: isRead ? part.length : 0, in: part.number, of: committed.parts)
      }
      cursor.mark = committed.mark
      cursors.append(cursor)
    }
    return cursors
  }
}
