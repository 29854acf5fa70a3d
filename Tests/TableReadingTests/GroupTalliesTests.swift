import JSON
import PostbackPipeline
import Testing

@testable import TableReading
@testable import Tables

@Suite struct `Rejects in groups` {
  @Test func `lose no row, even if there are too many groups`() {
    var groups = GroupTallies(limit: 1000)
    for batch in 0..<120 {
      var part = GroupTallies()
      for row in 0..<20 { part.add(key("\(batch)-\(row)"), at: Int64(batch * 20 + row)) }
      part.add(key("all"), at: nil)
      groups.merge(part)
    }
    #expect(groups.tallies.count == 1000)
    #expect(groups[key("all")]?.count == 120)
    let kept = groups.tallies.reduce(0) { $0 + $1.value.count }
    #expect(kept + groups.rest.count == 120 * 21)
    #expect(groups.rest.lastSeen == 2399)
  }

  @Test func `are the same after they were written, read, and added to others`() throws {
    var (first, second) = (GroupTallies(), GroupTallies())
    for number in 0..<3000 { first.add(key("\(number)"), at: Int64(number)) }
    for number in 2000..<5000 { second.add(key("\(number)"), at: Int64(number)) }
    var writer = ResultWriter()
    second.encode(&writer)
    var reader = ResultReader(writer.bytes)
    let read = GroupTallies(&reader)
    #expect(read[key("4999")]?.count == 1 && read[key("5000")] == nil)
    first.merge(read)
    #expect(first.tallies.map { $0.key } == (0..<5000).map { key("\($0)") })
    #expect(first[key("2500")]?.count == 2 && first[key("1999")]?.count == 1)
    first.keep { Int($0.values[0] ?? "")?.isMultiple(of: 2) == true }
    #expect(first.count == 2500 && first[key("2500")]?.count == 2 && first[key("2501")] == nil)
  }

  @Test func `have keys that decode to their values, with null distinct from an empty text`() throws {
    let values: [String?] = [nil, "", "a", "\u{2063}", nil, "ü\n"]
    var key = GroupKey()
    for value in values {
      let text = value.map { Array($0.utf8) }
      key.append(text.map { ByteRange(start: 0, count: $0.count) }, of: text ?? [])
    }
    #expect(key.values == values)
    #expect(key.only([5, 1]).values == ["ü\n", ""])
  }

  @Test func `by day and hour use the time of receipt`() throws {
    let columns = try GroupColumn.list("received_day, received_hour,stage")
    let batch = RawBatch(lines: [
      #"{"received_at":"2026-03-10T07:59:59.999Z","stage":"parse"}"#, #"{"stage":"parse","received_at":null}"#,
    ])
    let reader = GroupKeyReader(columns, in: .rejects)
    var cursor = RowCursor(batch, of: .rejects)
    var key = GroupKey()
    var seen: [[String?]] = []
    while cursor.next() {
      reader.read(cursor, into: &key)
      seen.append(key.values)
    }
    #expect(seen == [["2026-03-10", "2026-03-10T07", "parse"], [nil, nil, "parse"]])
    // Both tables have the time, but only one the stage.
    #expect(GroupKeyReader(columns, in: .postbacks).columns == [0, 1])
  }

  @Test(arguments: ["", "stage,", "stage,stage", "day", "stage;reject_code"])
  func `are refused by a name that is not a column`(_ list: String) {
    #expect(throws: QueryDefect.self) { try GroupColumn.list(list) }
  }

  @Test func `count lines that are not rows, and name the first`() {
    let batch = RawBatch(lines: [
      #"{"stage":"parse"}"#, "{", "[]", "12", #"{"other":1}"#, #"{"stage":1,"stage":2}"#, #"{"reject_code":"x"}"#,
    ])
    var cursor = RowCursor(batch, of: .rejects)
    var rows = 0
    while cursor.next() { rows += 1 }
    #expect(rows == 2)
    #expect(cursor.unreadable.count == 5)
    #expect(cursor.unreadable.first == "line 2 of rows: the line is not JSON")
  }

  private func key(_ text: String) -> GroupKey {
    var key = GroupKey()
    let bytes = Array(text.utf8)
    key.append(ByteRange(start: 0, count: bytes.count), of: bytes)
    return key
  }
}
