internal import JSON
internal import Ledger
internal import Signatures
internal import Tables

/// The records of a file that have neither a token nor a time, so that the file and their numbers identify them.
struct NumberedRecords {
  private struct Record {
    let row: Int
    let number: Int
    let line: Int

    /// Returns the key of the record in the file with a SHA-256.
    func key(_ digest: String, _ hash: inout SHA256) throws(LibcryptoFailure) -> String {
      AttributionKey.key(try hash.hexadecimalDigest(ofJoined: [digest, "\(number)"]))
    }
  }

  private var records: [Record] = []

  /// Adds a record by the place of its row, its number in the file, from 1, and the line on which it begins.
  mutating func add(row: Int, number: Int, line: Int) {
    records.append(Record(row: row, number: number, line: line))
  }

  /// Gives the rows their keys: of the SHA-256 of the file and the number. If the file begins with the whole of an earlier one, it has
  /// grown, and the records of that keep the keys that they have. `isKnown` says of a key whether an earlier import has it.
  func assignKeys(
    to rows: inout [AttributionRow],
    in bytes: [UInt8],
    _ isKnown: (String) -> Bool
  ) throws(LibcryptoFailure) {
    guard !records.isEmpty else { return }
    let text = Array(String(decoding: bytes, as: UTF8.self).utf8)
    var hash = try SHA256()
    var keys = try SHA256()
    // The first record without a key, the first one behind the current line, and the number of bytes that are hashed.
    var (next, behind, hashed, line) = (0, 0, 0, 0)
    while hashed < text.count {
      line += 1
      while behind < records.count, records[behind].line <= line { behind += 1 }
      let newline = text[hashed...].firstIndex(of: UInt8(ascii: "\n"))
      let end = newline ?? text.count
      let content = end > hashed && text[end - 1] == UInt8(ascii: "\r") ? end - 1 : end
      // An earlier file may have ended without the line end.
      for cut in [content, newline.map { $0 + 1 } ?? end] where cut > hashed {
        try hash.update(text.span.extracting(hashed..<cut))
        hashed = cut
        let isWhole = cut == text.count
        guard next < (isWhole ? records.count : behind) else { continue }
        let digest = try hash.digestSoFar().hexadecimal
        let new = isWhole ? records[next...] : records[next..<behind]
        if !isWhole {
          // The row of one of them may have been removed.
          let ends = [try records[next].key(digest, &keys), try records[behind - 1].key(digest, &keys)]
          guard ends.contains(where: isKnown) else { continue }
        }
        for record in new { rows[record.row][.attributionKey] = .string(try record.key(digest, &keys)) }
        next += new.count
      }
    }
  }
}
