/// A damage to one file.
struct Damage {
  enum Kind: UInt8, CaseIterable {
    /// The whole content is replaced.
    case replaced
    /// A byte is changed: three bytes of the input give the offset, one the value.
    case changed
    /// The file is truncated at an offset of three bytes; then some bytes are changed.
    case cut
    /// Bytes are appended.
    case extended
    /// A column of a table of the ledger is changed: one byte selects it, eight are the value.
    case edited
    /// The file is removed.
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

  /// Returns the index of the damaged file among `count` files.
  func index(of count: Int) -> Int { Int(file) % count }

  /// Returns the damaged content of a file; nil if it is removed.
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

  /// A column of the ledger and its new value; nil for other damages.
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
