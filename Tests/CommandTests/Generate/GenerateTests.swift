import JSON
import TestSupport
import Testing

struct GenerateTests {
  /// Options for a dump with many lines of each kind and version.
  static let everything = [
    "--versions", "4.0=5,3.0=2,2.2=1,2.1=1,2.0=1,1.0=1,aak=4", "--forged", "0.1", "--edited", "0.15",
    "--duplicate", "0.15", "--malformed", "0.2", "--zero-filled", "0.1",
  ]

  @Test(arguments: [[], ["--envelopes"]])
  func `run reproduces the truth line by line`(_ options: [String]) async throws {
    let dump = try await GeneratedDump(count: 5000, seed: 7, options: Self.everything + options)
    let rows = try await dump.rows()
    #expect(rows.count == 5000)
    var agreed = 0
    for truth in dump.truth {
      let line = try #require(truth.integer("line"))
      let row = try #require(rows[line], "line \(line)")
      #expect(.string(row["reject_code"] == nil ? "accepted" : "rejected") == truth["outcome"], "line \(line)")
      #expect(row["reject_code"] ?? .null == truth["reject_code"], "line \(line)")
      if truth["outcome"] == .string("accepted") {
        for column in Self.columns { #expect(row[column] == truth[column], "line \(line) \(column)") }
        if truth["kind"] == .string("valid") { #expect(row["tier_flags"] == .null, "line \(line)") }
      }
      agreed += 1
    }
    #expect(agreed == 5000)
  }

  private static let columns = [
    "signature_state", "transaction_id", "app_id", "did_win", "postback_sequence_index", "conversion_value",
    "coarse_conversion_value",
  ]

  @Test func `a dump has every kind, version and reject code`() async throws {
    let dump = try await GeneratedDump(count: 5000, seed: 7, options: Self.everything)
    #expect(dump.values(of: "version") == ["1.0", "2.0", "2.1", "2.2", "3.0", "4.0", "aak"])
    #expect(dump.values(of: "kind") == Self.kinds)
    #expect(dump.values(of: "reject_code") == Self.codes)
    #expect(dump.values(of: "signature_state") == ["valid", "valid_zero_filled"])
  }

  private static let kinds: Set<String> = [
    "valid", "zero_filled", "forged", "edited", "duplicate_identical", "duplicate_conflict", "duplicate_transaction",
    "malformed:truncated_line", "malformed:two_objects", "malformed:trailing_comma", "malformed:not_a_number",
    "malformed:form_encoded", "malformed:scalar", "malformed:duplicate_key", "malformed:invalid_utf8",
    "malformed:too_deep", "malformed:too_large", "malformed:unknown_version", "malformed:unsupported_version",
    "malformed:missing_field", "malformed:not_a_boolean", "malformed:fractional_app_id",
    "malformed:number_out_of_range", "malformed:word_for_number", "malformed:invisible_separator",
    "malformed:nul_character", "malformed:jws_of_two_parts", "malformed:jws_algorithm_none",
    "malformed:jws_payload_not_json", "malformed:signature_not_base64", "malformed:signature_trailing_byte",
    "malformed:signature_other_form",
  ]

  private static let codes: Set<String> = [
    "not_json", "not_an_object", "too_large", "too_deep", "invalid_utf8", "duplicate_key", "unknown_version",
    "unsupported_version", "missing_field", "wrong_type", "out_of_range", "forbidden_character", "malformed_jws",
    "malformed_signature", "signature_invalid", "unknown_key", "duplicate_identical", "duplicate_conflict",
    "duplicate_transaction",
  ]

  @Test func `a seed gives the same bytes for any number of jobs`() async throws {
    let one = try await GeneratedDump(count: 3000, seed: 11, options: Self.everything + ["--jobs", "1"])
    let two = try await GeneratedDump(count: 3000, seed: 11, options: Self.everything + ["--jobs", "2"])
    #expect(one.bytes == two.bytes)
    #expect(one.truth == two.truth)
    #expect(one.keys == two.keys)
    let other = try await GeneratedDump(count: 3000, seed: 12, options: Self.everything)
    #expect(other.bytes != one.bytes)
    #expect(other.keys != one.keys)
  }

  @Test func `a longer dump begins with the shorter one`() async throws {
    let short = try await GeneratedDump(count: 100, seed: 3)
    let long = try await GeneratedDump(count: 2000, seed: 3)
    #expect(long.bytes.starts(with: short.bytes))
  }

  @Test(arguments: [0, 1, 1024, 1025])
  func `the dump has the requested number of lines`(_ count: Int) async throws {
    let dump = try await GeneratedDump(count: count, seed: 5)
    #expect(dump.bytes.count { $0 == UInt8(ascii: "\n") } == count)
    #expect(dump.truth.count == count)
  }

  @Test func `--valid-only generates valid postbacks only`() async throws {
    let dump = try await GeneratedDump(count: 1000, seed: 5, options: ["--valid-only", "--app", "42"])
    #expect(dump.values(of: "kind") == ["valid"])
    #expect(dump.truth.allSatisfy { $0["app_id"] == .number("42") })
  }

  @Test func `requested shares are met within statistical error`() async throws {
    let dump = try await GeneratedDump(count: 5000, seed: 9, options: ["--forged", "0.5", "--versions", "4.0"])
    let forged = dump.truth.count { $0["kind"] == .string("forged") }
    #expect(abs(forged - 2500) < 200)
    #expect(dump.values(of: "version") == ["4.0"])
  }

  @Test(arguments: Self.editable)
  func `only the requested field is edited, and the edit is detected`(_ field: String) async throws {
    let options = ["--edited", "1", "--forged", "0", "--duplicate", "0", "--malformed", "0", "--zero-filled", "0"]
    let dump = try await GeneratedDump(count: 300, seed: 13, options: options + ["--edit", field])
    #expect(dump.values(of: "field") == [field])
    for truth in dump.truth { #expect(truth["original"] != truth["edited"]) }
    let rows = try await dump.rows()
    #expect(rows.count == 300)
    for row in rows.values { #expect(row["reject_code"] == .string("signature_invalid")) }
  }

  private static let editable = [
    "version", "ad-network-id", "campaign-id", "source-identifier", "app-id", "transaction-id", "redownload",
    "source-app-id", "source-domain", "fidelity-type", "did-win", "postback-sequence-index", "ad-network-identifier",
    "advertised-item-identifier", "conversion-type", "impression-type", "marketplace-identifier",
    "postback-identifier", "publisher-item-identifier",
  ]

  @Test func `a duplicate refers to the accepted first line of its transaction`() async throws {
    let dump = try await GeneratedDump(count: 3000, seed: 17, options: ["--duplicate", "0.5"])
    var lines: [JSONObject] = []
    var count = 0
    for truth in dump.truth {
      lines.append(truth)
      guard let original = truth.integer("of_line") else { continue }
      let first = lines[original - 1]
      #expect(first["outcome"] == .string("accepted"))
      #expect(first["transaction_id"] == truth["transaction_id"])
      count += 1
    }
    #expect(count > 1000)
  }

  @Test func `the dump is written to standard output, the keys and the random seed to standard error`() async throws {
    let result = try await BuiltCommand.run(["generate", "--count", "3"])
    #expect(result.status == 0)
    #expect(result.output.count { $0 == UInt8(ascii: "\n") } == 3)
    let lines = result.errorText.split(separator: "\n")
    let starts = ["--seed ", "--trust-key generated-p256=", "--trust-key generated-p192="]
    #expect(zip(lines, starts).allSatisfy { $0.hasPrefix($1) } && lines.count == 3)
    let seed = try #require(lines.first?.split(separator: " ").last)
    let again = try await BuiltCommand.run(["generate", "--count", "3", "--seed", String(seed)])
    #expect(again.output == result.output)
  }

  @Test(arguments: [
    [], ["--count", "-1"], ["--count", "1", "x"], ["--count", "1", "--forged", "0.6", "--edited", "0.6"],
    ["--count", "1", "--forged", "2"], ["--count", "1", "--versions", "5.0"], ["--count", "1", "--versions", "4.0=0"],
    ["--count", "1", "--windows", "3"], ["--count", "1", "--tiers", "a=1"], ["--count", "1", "--edit", "country-code"],
    ["--count", "1", "--versions", "aak", "--edit", "app-id"], ["--count", "1", "--valid-only", "--forged", "0.1"],
    ["--count", "1", "--campaigns", "2"], ["--count", "1", "--days", "2"],
    ["--count", "1", "--campaigns", "2", "--reporting", "r", "--windows", "0"],
    ["--count", "1", "--campaigns", "9000", "--reporting", "r", "--days", "366"], ["--count", "1", "--seed", "-1"],
    ["--count", "1", "--app", "x"], ["--count", "1", "--out", "a", "--truth", "a"],
  ])
  func `contradictory options are refused`(_ options: [String]) async throws {
    let result = try await BuiltCommand.run(["generate"] + options)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errorText.hasPrefix("postback: "))
  }

  @Test(arguments: ["--out", "--truth", "--keys"])
  func `an existing file is not changed`(_ option: String) async throws {
    let folder = try TemporaryFolder()
    try folder.makeFile("mine", holding: Array("mine".utf8))
    let result = try await BuiltCommand.run(["generate", "--count", "3", option, folder.path("mine")])
    #expect(result.status == 73)
    #expect(try folder.contents(of: "mine") == Array("mine".utf8))
    #expect(try folder.names == ["mine"])
  }

  @Test func `a missing folder is an error`() async throws {
    let folder = try TemporaryFolder()
    let result = try await BuiltCommand.run(["generate", "--count", "3", "--out", folder.path("none/dump")])
    #expect(result.status == 73)
  }

  @Test func `a full disk is an error`() async throws {
    let result = try await BuiltCommand.run(["generate", "--count", "3"], outputPath: "/dev/full")
    #expect(result.status == 74)
    #expect(result.errorText.contains("Standard output cannot be written"))
  }
}
