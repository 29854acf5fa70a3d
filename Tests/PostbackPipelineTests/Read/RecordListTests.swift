import TestSupport
import Testing

@testable import PostbackPipeline

/// A random list of records: valid ones on one line or pretty-printed, broken ones on one line.
private struct RecordList {
  private(set) var text = ""
  private(set) var records: [FramedRecord] = []
  private var line = 1
  private let isArray: Bool

  init(_ count: Int, isArray: Bool, _ random: inout SplitMix) {
    self.isArray = isArray
    if isArray { write("[\n") }
    for index in 0..<count {
      let isLast = index == count - 1
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where !(isArray && isLast):
        let whole = Self.object(indent: nil, &random)
        add(String(whole.prefix(.random(in: 1..<whole.count, using: &random))), "", &random)
      case 1 where !isArray:
        add(["OK", "<html>", "null", "0x1F", "NaN,"].randomElement(using: &random) ?? "", "", &random)
      case 2:
        add(Self.object(indent: nil, &random), isArray && !isLast ? "," : "", &random)
      default:
        let indent = ["", " ", "  ", "\t"].randomElement(using: &random)
        add(Self.object(indent: indent, &random), isArray && !isLast ? "," : "", &random)
      }
    }
    if isArray { write("]") }
  }

  private mutating func add(_ record: String, _ separator: String, _ random: inout SplitMix) {
    write(["", "", "  ", "\t", "\n\n", " \r\n"].randomElement(using: &random) ?? "")
    records.append(FramedRecord(record, line: line))
    write(record + separator + (["", " ", "\r"].randomElement(using: &random) ?? "") + "\n")
  }

  private mutating func write(_ more: String) {
    text += more
    line += more.utf8.count { $0 == UInt8(ascii: "\n") }
  }

  /// A random object with lists of objects, on one line or pretty-printed.
  private static func object(indent: String?, _ random: inout SplitMix) -> String {
    let members = (0..<Int.random(in: 0...3, using: &random)).map { index in
      "\"k\(index)\":" + (indent == nil ? "" : " ") + value(indent: indent, depth: 1, &random)
    }
    return bracketed("{", members, "}", indent: indent, depth: 0)
  }

  private static func value(indent: String?, depth: Int, _ random: inout SplitMix) -> String {
    switch Int.random(in: 0..<(depth < 4 ? 7 : 4), using: &random) {
    case 0: return "-1.5e3"
    case 1: return "true"
    case 2: return #""a\"}]\\""#
    case 3: return #""{\"transaction-id\":1},""#
    case 4, 5:
      let values = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        value(indent: indent, depth: depth + 1, &random)
      }
      return bracketed("[", values, "]", indent: indent, depth: depth)
    default:
      let member = "\"k\":" + value(indent: indent, depth: depth + 1, &random)
      return bracketed("{", [member], "}", indent: indent, depth: depth)
    }
  }

  private static func bracketed(
    _ open: String,
    _ parts: [String],
    _ close: String,
    indent: String?,
    depth: Int
  ) -> String {
    guard let indent, !parts.isEmpty else { return open + parts.joined(separator: ",") + close }
    let inner = "\n" + String(repeating: indent, count: depth + 1)
    return open + inner + parts.joined(separator: "," + inner) + "\n" + String(repeating: indent, count: depth) + close
  }
}

@Suite struct `Framing of lists of records` {
  @Test(arguments: Array(UInt64(1)...40), [false, true])
  func `gives each record of a list, broken ones included`(seed: UInt64, isArray: Bool) throws {
    var random = SplitMix(seed: seed)
    for _ in 0..<50 {
      let list = RecordList(.random(in: 0...8, using: &random), isArray: isArray, &random)
      let chunk = [1, 2, 5, 64, .max].randomElement(using: &random) ?? 1
      let records = try framed(list.text, chunk: chunk)
      #expect(records == list.records, "\(list.text)")
    }
  }
}
