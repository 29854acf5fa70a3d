import Base
import ConversionModel
import DurableFiles
import Tables

@testable import Ledger
@testable import Spool

/// Names of files, and the files of a state except for the ledger.
enum StateInput {
  static func names(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    _ = SpoolWriter.isOwn(text)
    let shown = SpoolName.printable(bytes)
    require(!shown.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "a name is shown on one line")
    require(SpoolName.fitting(text, ".reason").utf8.count <= max(SpoolName.maximum, 7), "a name is not too long")
    if let cursor = TableCursor(text) { require("\(cursor)" == text, "a cursor has one text") }
    if let time = Timestamp(text) { require(Timestamp("\(time)") == time, "a time has the text that it is read from") }
    _ = Timestamp(dateOrTime: text)
    if let amount = try? Amount(parsing: text) {
      require((try? Amount(parsing: amount.description)) == amount, "an amount has the text that it is read from")
    }
    _ = try? Amount(rounding: text)
    _ = Amount(written: bytes.span)
  }

  /// A file of ids or of the number of a commit: a byte that chooses which, and how many entries are committed.
  static func seen(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let bytes = Array(input.dropFirst())
    let folder = DurableFolder(SmallFile.folder)
    do throws(FileFailure) {
      if choice & 1 == 0 {
        _ = SmallFile.write(bytes, CommitMarker.name)
        try CommitMarker.check(try CommitMarker.number(in: folder), folder, ledger: 3)
        return
      }
      _ = SmallFile.write(bytes, SeenLog.name)
      let file = try SeenFile(SeenLog.name, in: folder, .reading)
      let checksum = CRC32(of: Array(bytes.dropFirst(Int(SeenFile.headerCount)).prefix(48 * Int(choice >> 1)))).value
      var entries = 0
      try file.read(SeenMark(entries: Int64(choice >> 1), checksum: checksum)) { words in
        for start in stride(from: 0, to: words.count, by: SeenEntry.wordCount) {
          var again: [UInt64] = []
          SeenEntry(words, at: start).append(to: &again)
          require((0..<SeenEntry.wordCount).allSatisfy { again[$0] == words[start + $0] }, "an entry has one form")
          entries += 1
        }
      }
      require(entries == Int(choice >> 1), "all entries are read")
    } catch {
      require(!error.reason.isEmpty, "a failure has a reason")
    }
  }
}
