import Foundation
import JSON
import TestSupport
import Testing

@testable import PostbackPipeline
@testable import TableReading
@testable import Tables

@Suite struct `Conditions on columns` {
  @Test(arguments: [
    ("reject_code=signature_invalid", "=", ["signature_invalid"]),
    (" reject_detail  !=  x ", "!=", ["x"]),
    ("reject_detail = \"a, b\"", "=", ["a, b"]),
    ("raw_body ~ \"campaign-id\":", "~", ["\"campaign-id\":"]),
    ("raw_body!~x", "!~", ["x"]),
    ("received_at >= 2026-03-01", ">=", ["2026-03-01"]),
    ("source_line<5", "<", ["5"]),
    ("forwarder=", "=", [""]),
    ("stage in (parse,schema)", "in", ["parse", "schema"]),
    ("forwarder in (a,b , \"a,)b\")", "in", ["a", "b", "a,)b"]),
  ])
  func `are parsed into a comparison and values`(_ text: String, _ comparison: String, _ values: [String]) throws {
    let condition = try Condition(parsing: text)
    #expect(condition.comparison.rawValue == comparison)
    #expect(condition.values == values)
  }

  @Test(arguments: [
    "", "=", "reject_code", "reject_code signature_invalid", "stage in", "stage in ()", "stage in (a", "stage in a",
    "stage in (\"a)", "received_at < yesterday", "reject_code ≈ 1",
    "reject_code == signature_invalid", "reject_code=signature_invald", "received_at_source=mtime", "source_line=abc",
    "source_line < ten", "source_line in (1, b)",
  ])
  func `are refused if no row can meet them`(_ text: String) {
    #expect(throws: QueryDefect.self) { try Condition(parsing: text) }
  }

  @Test func `list the columns if the named one does not exist`() {
    do {
      _ = try Condition(parsing: "campaign_id=1")
      Issue.record("no error")
    } catch {
      #expect("\(error)".hasPrefix("There is no column campaign_id. The columns are stage, reject_code, "))
    }
  }

  @Test(arguments: [
    ("<", "10", ["1.0", "2.2", "4.0", "4"]), ("<=", "2", ["1.0"]), ("<=", "2.2", ["1.0", "2.2"]),
    (">", "2.10", ["2.2", "4.0", "4"]),
    (">=", "4", ["4.0", "4"]),
  ])
  func `compare numbers with a fraction by value`(_ comparison: String, _ value: String, _ expected: [String]) throws {
    let versions = ["1.0", "2.2", "4.0", "4", "x"]
    let batch = RawBatch(lines: versions.map { "{\"version\":\"\($0)\"}" })
    let filter = RowFilter([try Condition(parsing: "version\(comparison)\(value)")], during: TimeSpan(), in: .rejects)
    var cursor = RowCursor(batch, of: .rejects)
    var (found, index): ([String], Int) = ([], 0)
    while cursor.next() {
      if filter.matches(cursor) { found.append(versions[index]) }
      index += 1
    }
    #expect(found.filter { $0 != "x" } == expected)
  }

  /// Compares each row with a simple reference implementation of the comparisons.
  @Test func `hold for exactly the matching rows`() throws {
    var generator = SplitMix(seed: 7)
    let texts: [String?] = [nil, "", "a", "ab", "abc", "b", "ba", "aab", "10", "9", "-1", "\"q\"", "é\n", "aaab"]
    let rows = (0..<400).map { _ in (texts.randomElement(using: &generator)!, texts.randomElement(using: &generator)!) }
    let lines = rows.map { forwarder, field in
      JSONValue.object([
        .init(key: "stage", value: .string("parse")),
        .init(key: "forwarder", value: forwarder.map { .string($0) } ?? .null),
        .init(key: "field", value: field.map { .string($0) } ?? .null),
      ]).description
    }
    let batch = RawBatch(lines: lines)
    for comparison in Condition.Comparison.allCases {
      for value in texts.compactMap({ $0 }) where !value.contains("\"") {
        let isList = comparison == .among
        let condition = try Condition(
          parsing: "forwarder \(comparison.rawValue) " + (isList ? "(\"\(value)\", zz)" : "\"\(value)\"")
        )
        let filter = RowFilter([condition], during: TimeSpan(), in: .rejects)
        var cursor = RowCursor(batch, of: .rejects)
        var index = 0
        while cursor.next() {
          let cell = rows[index].0
          #expect(filter.matches(cursor) == isMet(comparison, cell, value), "\(cell ?? "null") \(condition)")
          index += 1
        }
        #expect(index == rows.count)
      }
    }
  }

  private func isMet(_ comparison: Condition.Comparison, _ cell: String?, _ value: String) -> Bool {
    let text = cell ?? ""
    var order: Int? {
      guard let cell else { return nil }
      if let one = Int64(cell), let two = Int64(value) { return one < two ? -1 : one > two ? 1 : 0 }
      if cell == value { return 0 }
      return cell.utf8.lexicographicallyPrecedes(value.utf8) ? -1 : 1
    }
    switch comparison {
    case .equal, .among: return text == value
    case .notEqual: return text != value
    case .contains: return value.isEmpty || text.contains(value)
    case .lacks: return !(value.isEmpty || text.contains(value))
    case .below: return order.map { $0 < 0 } ?? false
    case .above: return order.map { $0 > 0 } ?? false
    case .atMost: return order.map { $0 <= 0 } ?? false
    case .atLeast: return order.map { $0 >= 0 } ?? false
    }
  }

  @Test func `compare times by value, and a span excludes its end`() throws {
    let times = ["2026-03-10T00:00:00Z", "2026-03-10T00:00:00.500Z", "2026-03-10T00:00:01Z", "2026-03-11T00:00:00Z"]
    let batch = RawBatch(lines: times.map { #"{"received_at":"\#($0)"}"# } + [#"{"received_at":null,"stage":"parse"}"#])
    func count(_ conditions: [String], _ span: TimeSpan = TimeSpan()) throws -> Int {
      let filter = RowFilter(try conditions.map { try Condition(parsing: $0) }, during: span, in: .rejects)
      var cursor = RowCursor(batch, of: .rejects)
      var count = 0
      while cursor.next() { if filter.matches(cursor) { count += 1 } }
      return count
    }
    #expect(try count([]) == 5)
    #expect(try count(["received_at < 2026-03-10T00:00:00.500Z"]) == 1)
    #expect(try count(["received_at <= 2026-03-10T00:00:01Z"]) == 3)
    #expect(try count(["received_at >= 2026-03-11"]) == 1)
    let day: Int64 = 1_773_100_800_000
    #expect(try count([], TimeSpan(since: day, until: day + 86_400_000)) == 3)
    #expect(try count([], TimeSpan(since: day + 86_400_000)) == 1)
  }
}

extension RawBatch {
  /// A batch of these lines from a file named "rows".
  init(lines: [String]) {
    var bytes: [UInt8] = []
    var records: [Record] = []
    for (index, line) in lines.enumerated() {
      records.append(
        Record(bytes: ByteRange(start: bytes.count, count: line.utf8.count), line: index + 1, defect: nil)
      )
      bytes += Array(line.utf8)
    }
    let origin = BatchOrigin(input: InputFile(path: "rows"), recordCount: lines.count, consumed: 0)
    self.init(bytes: bytes + [UInt8](repeating: 0, count: RawBatch.padding), records: records, origins: [origin])
  }
}
