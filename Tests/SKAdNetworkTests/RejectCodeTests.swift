import TestSupport
import Testing

@testable import SKAdNetwork

struct RejectCodeTests {
  /// Queries of users contain these words, and a change here breaks them.
  private static let codes: [(stage: String, codes: [String])] = [
    (
      "parse",
      [
        "not_json", "not_an_object", "too_large", "too_deep", "invalid_utf8", "duplicate_key", "truncated_input",
      ]
    ),
    (
      "schema",
      [
        "unknown_version", "unsupported_version", "missing_field", "wrong_type", "out_of_range", "forbidden_character",
        "malformed_jws",
      ]
    ),
    ("signature", ["malformed_signature", "signature_invalid", "unknown_key", "development_key"]),
    ("policy", ["app_not_allowed", "network_not_allowed"]),
    ("dedup", ["duplicate_identical", "duplicate_conflict", "duplicate_transaction", "duplicate_forgotten"]),
  ]

  @Test func `the reject codes of each stage have these words in this order`() {
    #expect(RejectStage.allCases.map(\.rawValue) == Self.codes.map(\.stage))
    for (stage, codes) in Self.codes {
      #expect(RejectCode.allCases.filter { $0.stage.rawValue == stage }.map(\.rawValue) == codes)
    }
    #expect(RejectCode.allCases.map(\.rawValue) == Self.codes.flatMap(\.codes))
  }

  @Test(arguments: RejectCode.allCases) func `a code is explained in a sentence of its own`(_ code: RejectCode) {
    #expect(code.explanation.first?.isUppercase == true && code.explanation.last == ".")
    #expect(RejectCode.allCases.filter { $0.explanation == code.explanation } == [code])
  }

  @Test func `the docs have the class of each code`() throws {
    let page = String(decoding: Fixtures.bytes("../docs/reject-codes.md"), as: UTF8.self)
    for code in RejectCode.allCases {
      #expect(page.contains("| `\(code.rawValue)` | \(code.rejectClass.rawValue) |"), "\(code)")
    }
  }

  @Test func `every field has a unique key, and is found by it`() {
    #expect(Set(Field.allCases.map(\.name)).count == Field.allCases.count)
    for field in Field.allCases { #expect(Field(name: field.name) == field) }
    #expect(Field(name: "app_id") == nil)
  }

  @Test func `versions are in order`() {
    #expect(Version.allCases.map(\.rawValue) == ["1.0", "2.0", "2.1", "2.2", "3.0", "4.0"])
    #expect(Version.allCases.sorted() == Version.allCases)
  }

  @Test func `a set of fields can contain all of them`() {
    var set = FieldSet()
    #expect(set.isEmpty)
    for field in Field.allCases {
      #expect(!set.contains(field))
      set.insert(field)
      #expect(set.contains(field) && !set.isEmpty)
    }
    #expect(set.names == Field.allCases.map(\.name))
  }
}
