internal import JSON
internal import PostbackPipeline
internal import PostbackVerification
package import SKAdNetwork
package import TableReading
package import Tables

extension RejectColumns {
  /// The codes of copies.
  private static let copies: Set<String> = [
    RejectCode.duplicateIdentical.rawValue, RejectCode.duplicateConflict.rawValue,
  ]

  /// A copy with the bytes from which it was parsed.
  package typealias Copy = (postback: Postback, body: [UInt8])

  /// A cursor over a batch of rows of `skan_rejects` that reads only copies as a whole. Of rows of other codes it notes those as
  /// unreadable whose first cells cannot be read.
  func cursor(_ batch: RawBatch) -> RowCursor { RowCursor(batch, of: .rejects, only: [code, firstSeen]) }

  /// Calls `take` for each copy of an accepted postback in rows of `skan_rejects`, with a cursor at its row and the key of
  /// the accepted postback. The copy is nil if its body cannot be read. Returns the lines that are not rows.
  func forEachCopy(
    in rows: consuming RowCursor,
    _ take: (borrowing RowCursor, PostbackKey, Copy?) -> Void
  ) -> UnreadableRows {
    var cursor = rows
    var parser = PostbackParser()
    while cursor.next() {
      guard let word = cursor.text(code), Self.copies.contains(word), let key = cursor.key(firstSeen),
        cursor.readWhole()
      else { continue }
      take(cursor, key, copy(cursor, &parser))
    }
    return cursor.unreadable
  }

  /// Parses the copy in the current row; nil if its body cannot be read.
  package func copy(_ cursor: borrowing RowCursor, _ parser: inout PostbackParser) -> Copy? {
    guard var bytes = cursor.rawBody(body, base64: bodyBase64) else { return nil }
    let length = bytes.count
    let request = cursor.cell(query).map { cell in
      bytes += cursor.bytes[cell.indices]
      return ByteRange(start: length, count: Int(cell.count))
    }
    bytes.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    let postback = try? parser.parse(0..<length, of: &bytes, query: request)
    return postback.map { ($0, bytes) }
  }
}

extension RowCursor {
  /// The time of receipt in the current row, if the record tells it itself; nil if it is not known, or is that of a file or of an
  /// option, which tell when records were loaded and not when they were sent.
  package func timeOfRecord(_ time: Int, source: Int) -> Int64? {
    let others: [ReceivedAtSource] = [.fileModified, .option]
    return others.contains { has($0.rawValue, in: source) } ? nil : self.time(time)
  }
}
