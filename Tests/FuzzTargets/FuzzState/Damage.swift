/// What happens to one file.
struct Damage {
  enum Kind: UInt8, CaseIterable {
    /// All of it is something else.
    case replaced
    /// Some of its bytes are others: three bytes say which, one what.
    case changed
    /// It ends somewhere: three bytes say where; then some bytes are others.
    case cut
    /// Something is behind it.
    case extended
    /// A column of a table of the ledger holds something else: one byte says which, eight what.
    case edited
    /// It is gone.
    case removed
  }

  let kind: Kind
  private let file: UInt8
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    file = bytes[0]
    kind = Kind.allCases[Int(bytes[1]) % Kind.allCases.count]
    self.bytes = Array(bytes.dropFirst(2))
  }

  /// Which of so many files it is.
  func index(of count: Int) -> Int { Int(file) % count }

  /// What becomes of a file; nil where it is gone.
  func applied(to file: [UInt8]) -> [UInt8]? {
    var file = file
    switch kind {
    case .replaced: return bytes
    case .changed: change(&file, bytes[...])
    case .cut:
      if bytes.count >= 3, !file.isEmpty { file.removeLast(file.count - Self.number(bytes[..<3]) % file.count) }
      change(&file, bytes.dropFirst(3))
    case .extended: file += bytes
    case .edited: break
    case .removed: return nil
    }
    return file
  }

  /// A column and its new value, where that is what happens.
  func edit(of columns: [String]) -> (column: String, value: Int64)? {
    guard kind == .edited, bytes.count >= 9 else { return nil }
    let value = bytes[1..<9].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return (columns[Int(bytes[0]) % columns.count], Int64(bitPattern: value))
  }

  private func change(_ file: inout [UInt8], _ changes: ArraySlice<UInt8>) {
    var changes = changes
    while changes.count >= 4, !file.isEmpty {
      file[Self.number(changes.prefix(3)) % file.count] ^= changes[changes.startIndex + 3]
      changes = changes.dropFirst(4)
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
