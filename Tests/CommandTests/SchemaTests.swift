import Base
import ConversionModel
import InfoPlist
import JSON
@testable import PostbackPipeline
import SKAdNetwork
import SearchAdsReports
import Signatures
import TableReading
import TestSupport
import Testing

@testable import Ledger
@testable import PostbackService
@testable import PostbackVerification
@testable import Tables
@testable import Tampering
@testable import postback

/// Comparisons of the files in `schemas/` with the source, which both state the public contract.
@Suite struct SchemaTests {
  @Test(arguments: Table.described.map(\.name)) func `tables are described as they are declared`(
    _ name: String
  ) throws {
    let table = try #require(Table.described.first { $0.name == name })
    #expect(try Schema(name).text == table.jsonSchema.indented + "\n")
  }

  @Test(arguments: Table.all) func `schemas have the columns of the tables, in order`(_ table: Table) throws {
    let schema = try Schema(table.name)
    #expect(schema["required"]?.strings == table.columnNames)
    #expect(schema["properties"]?.keys == table.columnNames)
    #expect(schema["additionalProperties"] == .bool(false))
  }

  @Test func `a table has no column twice, and its rules are on its columns`() {
    for table in Table.described {
      let names = Set(table.columnNames)
      #expect(names.count == table.columns.count)
      for rule in table.rules {
        for conditions in [rule.conditions, rule.consequences, rule.alternatives] {
          #expect(Set(conditions.map(\.key.rawValue)).isSubset(of: names), "\(table.name)")
        }
      }
    }
  }

  @Test(arguments: Words.all) func `enumerated words are those of the program`(_ words: Words) throws {
    let schema = try Schema(words.schema)
    #expect(schema["properties", words.column, "enum"]?.strings.filter { !$0.isEmpty } == words.words)
  }

  @Test func `each reject code belongs to its stage`() throws {
    let rules = try Schema("skan_rejects")["allOf"]?.elements ?? []
    for stage in RejectStage.allCases {
      let rule = rules.first { $0["if", "properties", "stage", "const"] == .string(stage.rawValue) }
      let codes = RejectCode.allCases.filter { $0.stage == stage }.map(\.rawValue)
      #expect(rule?["then", "properties", "reject_code", "enum"]?.strings == codes)
    }
  }

  @Test func `the schema has all tier flags`() throws {
    let flags = try Schema("skan_postbacks")["properties", "tier_flags", "items", "enum"]?.strings
    #expect(flags == TierFlags.names.map(\.name))
  }

  @Test func `listed fields are Apple's keys`() throws {
    let coerced = try Schema("skan_postbacks")["properties", "coerced_fields", "items", "enum"]
    let conflicting = try Schema("skan_rejects")["properties", "conflicting_fields", "items", "properties", "field"]
    for name in try #require(coerced?.strings) + #require(conflicting?["enum"]?.strings) {
      #expect(Field(name: name) != nil, "\(name)")
    }
  }

  @Test func `the schema has all re-encodings`() throws {
    let items = try Schema("diagnosis")["properties", "reencodings", "items", "properties", "code", "enum"]
    #expect(items?.strings == Reencoding.Kind.allCases.map(\.rawValue))
  }

  @Test func `input schemas have every key that the parser knows, and no other`() throws {
    let postback = try Schema("postback")
    let envelope = try #require(try Schema("envelope")["properties"]?.keys)
    var names = Set(envelope)
    postback.value.visitProperties { name, _ in names.insert(name) }
    #expect(names == Set(Field.allCases.map(\.name)))
    #expect(
      envelope
        == [Field.receivedAt, .channel, .forwarder, .remoteAddress, .query, .leftOut, .body, .bodyBase64].map(\.name)
    )
  }

  @Test(arguments: Version.allCases) func `the schema requires the fields that a version signs`(_ version: Version)
    throws
  {
    let skAdNetwork = try #require(try Schema("postback")["$defs", "skadnetwork"])
    #expect(skAdNetwork["properties", "version", "enum"]?.strings == Version.allCases.map(\.rawValue))
    var required = skAdNetwork["required"]?.strings ?? []
    for rule in skAdNetwork["allOf"]?.elements ?? [] {
      guard rule["if", "properties", "version", "enum"]?.strings.contains(version.rawValue) == true else { continue }
      required += rule["then", "required"]?.strings ?? []
    }
    let mayBeAbsent: [Field] = [.version, .sourceAppID, .sourceDomain]
    let signed = version.signedFields.filter { !mayBeAbsent.contains($0) } + [.attributionSignature]
    #expect(Set(required) == Set(signed.map(\.name)))
  }

  @Test func `the summary of run is valid by its schema`() throws {
    let schema = try Schema("summary")
    let summary = RunSummary(
      tally: Tally(),
      known: 0,
      leftOut: LeftOutEntries(),
      elapsed: .seconds(1),
      tables: Table.all.map { ($0.name, 0) },
      parts: [],
      changes: [],
      warnings: [],
      rejects: nil,
      verification: .fixedBase,
      lacksTables: false
    )
    let printed = try JSONValue(parsing: Array(summary.json.utf8))
    #expect(schema["required"]?.strings == printed.keys)
    #expect(schema["properties"]?.keys == printed.keys)
    #expect(schema["properties", "rows", "required"]?.strings == printed["rows"]?.keys)
    let codes = schema["properties", "by_code", "propertyNames", "enum"]?.strings
    #expect(codes == RejectCode.allCases.map(\.rawValue))
  }

  @Test func `the result of plist check is valid by its schema`() throws {
    let check = InfoPlistCheck(file: "Info.plist", bytes: Array("<plist><dict/></plist>".utf8))
    let file = try Schema("plist_check")["properties", "files", "items"]
    #expect(file?["required"]?.strings == check.json.keys && file?["properties"]?.keys == check.json.keys)
    let finding = file?["properties", "findings", "items"]
    #expect(finding?["required"]?.strings == check.findings.first?.json.keys)
    #expect(finding?["properties", "code", "enum"]?.strings == InfoPlistFinding.Code.allCases.map(\.rawValue))
  }

  @Test func `the summary of Search Ads is valid by its schema`() throws {
    let folder = try TemporaryFolder()
    let output = try SearchAdsOutput(TableEncoding([.jsonLines]), in: folder.path("out"))
    let printed = try output.complete(SearchAdsNames()).json
    let schema = try Schema("asa")
    #expect(schema["required"]?.strings == printed.keys && schema["properties"]?.keys == printed.keys)
    #expect(schema["properties", "by_outcome", "propertyNames", "enum"]?.strings == printed["by_outcome"]?.keys)
  }

  @Test func `rejects can be grouped by the columns of the schema`() throws {
    let names = try Schema("rejects")["properties", "group_by", "items", "enum"]?.strings
    #expect(names == Table.rejects.columnNames + GroupColumn.derived)
    let group = try Schema("rejects")["properties", "tampering", "properties", "groups", "items"]
    #expect(group?["properties", "finding", "enum"]?.strings == Diagnosis.codes)
  }

  @Test func `the output of status is valid by its schema`() throws {
    let site = try StateSite()
    try site.fill()
    try site.writeStatus()
    let schema = try Schema("status")
    let printed = try StateStatus(folder: site.state).json
    #expect(schema["required"]?.strings == printed.keys)
    #expect(schema["properties"]?.keys == printed.keys)
    for name in ["rows", "inputs"] {
      #expect(schema["properties", name, "required"]?.strings == printed[name]?.keys)
      #expect(schema["properties", name, "properties"]?.keys == printed[name]?.keys)
    }
    #expect(schema["$defs", "consumer", "required"]?.strings == printed["consumer"]?.keys)
    #expect(schema["$defs", "consumer", "properties"]?.keys == printed["consumer"]?.keys)
    let part = schema["properties", "parts", "items"]
    #expect(part?["required"]?.strings == printed["parts"]?.elements.first?.keys)
    #expect(part?["properties", "table", "enum"]?.strings == Table.all.map(\.name))
    #expect(part?["properties", "format", "enum"]?.strings == TableFormat.allCases.map(\.rawValue))
    #expect(part?["properties", "phase", "enum"]?.strings == LedgerPart.Phase.allCases.map(\.rawValue))
    let codes = schema["properties", "by_code", "propertyNames", "enum"]?.strings
    #expect(codes == RejectCode.allCases.map(\.rawValue))
  }

  @Test(arguments: Schema.names) func `schemas have a name, a title, and describe each property`(
    _ name: String
  ) throws {
    let schema = try Schema(name)
    #expect(schema["$id"] == .string(name + ".schema.json"))
    #expect(schema["title"] != nil && schema["description"] != nil)
    var properties: Set<String> = []
    var described: Set<String> = []
    schema.value.visitProperties { property, value in
      properties.insert(property)
      if value["description"] != nil { described.insert(property) }
    }
    #expect(properties.subtracting(described).isEmpty)
  }
}

/// A file in `schemas/`.
struct Schema {
  static let names = [
    "asa", "asa_attributions", "asa_daily", "case", "config_check", "conversion_model", "daily", "diagnosis", "enrich",
    "envelope",
    "plist_check", "postback", "rejects",
    "server_configuration",
    "skan_daily", "skan_daily_changes", "skan_daily_events", "skan_daily_values", "skan_enriched", "skan_events",
    "skan_postbacks", "skan_rejects", "status", "summary",
  ]

  let value: JSONValue
  let text: String

  init(_ name: String) throws {
    let text = Fixtures.bytes("../schemas/\(name).schema.json")
    value = try JSONValue(parsing: text)
    self.text = String(decoding: text, as: UTF8.self)
  }

  subscript(path: String...) -> JSONValue? { value.member(at: path) }
}

extension JSONValue {
  fileprivate subscript(path: String...) -> JSONValue? { member(at: path) }

  fileprivate func member(at path: [String]) -> JSONValue? {
    path.reduce(self) { (value: JSONValue?, key) in
      guard case .object(let members) = value else { return nil }
      return members.first { $0.key == key }?.value
    }
  }

  /// An object's keys, in order.
  fileprivate var keys: [String] {
    guard case .object(let members) = self else { return [] }
    return members.map(\.key)
  }

  /// An array's elements.
  fileprivate var elements: [JSONValue] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  /// An array's strings: the words of an `enum`, without its null.
  var strings: [String] {
    elements.compactMap { element in
      guard case .string(let text) = element else { return nil }
      return text
    }
  }

  /// Visits the properties of a schema and of all schemas in it. Properties with further conditions are visited repeatedly.
  fileprivate func visitProperties(_ visit: (String, JSONValue) -> Void) {
    for element in elements { element.visitProperties(visit) }
    guard case .object(let members) = self else { return }
    for member in members {
      guard member.key == "properties", case .object(let properties) = member.value else {
        member.value.visitProperties(visit)
        continue
      }
      for property in properties {
        visit(property.key, property.value)
        property.value.visitProperties(visit)
      }
    }
  }
}
