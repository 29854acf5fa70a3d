import JSON
import TestSupport
import Testing

@testable import SKAdNetwork

/// A file of bad input and its expected outcome.
struct HostileFile: CustomTestStringConvertible {
  let name: String
  let accepted: Int
  let codes: [String]
  let fields: [String?]
  let found: [String?]
  let judge: String

  var testDescription: String { name }

  static let all = Fixtures.lines("hostile.truth.jsonl").map { line in
    let entry = Object(line)
    return HostileFile(
      name: entry.string("file") ?? "",
      accepted: entry["accepted"].flatMap { Int($0) } ?? -1,
      codes: strings(entry["codes"]).compactMap(\.self),
      fields: strings(entry["fields"]),
      found: strings(entry["found"]),
      judge: entry.string("judge") ?? ""
    )
  }

  private static func strings(_ json: String?) -> [String?] {
    guard case .array(let elements)? = try? JSONValue(parsing: Array((json ?? "").utf8)) else { return [] }
    return elements.map { element in if case .string(let text) = element { text } else { nil } }
  }
}

struct HostileTests {
  @Test(arguments: HostileFile.all.filter { $0.judge == "parser" })
  func `the parser reports its defects with code, field and value`(_ file: HostileFile) throws {
    var parser = PostbackParser()
    let readings = Fixtures.lines("hostile/" + file.name).map { Reading($0, with: &parser) }
    let rejected = readings.filter { $0.defect != nil }
    #expect(readings.count - rejected.count == file.accepted)
    #expect(rejected.map { $0.defect?.code.rawValue } == file.codes)
    #expect(rejected.map { $0.defect?.field } == file.fields)
    #expect(rejected.map { $0.text($0.defect?.found) } == file.found)
    for reading in rejected {
      #expect(reading.defect?.code.stage == .parse || reading.defect?.expected != nil, "nobody is told what is wrong")
      #expect([.parse, .schema].contains(reading.defect?.code.stage))
    }
  }

  @Test(arguments: HostileFile.all.filter { $0.judge == "verifier" || $0.judge == "pipeline" })
  func `the parser accepts input that later stages reject`(_ file: HostileFile) throws {
    for line in Fixtures.lines("hostile/" + file.name) { _ = try Reading(line).postback }
  }

  @Test(arguments: HostileFile.all)
  func `the expected codes exist`(_ file: HostileFile) {
    #expect(["reader", "parser", "verifier", "pipeline"].contains(file.judge))
    #expect(file.codes.allSatisfy { RejectCode(rawValue: $0) != nil })
    #expect(file.fields.count == file.codes.count && file.found.count == file.codes.count)
    #expect(!file.codes.isEmpty)
  }
}
