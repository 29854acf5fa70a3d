import JSON
import Testing

@testable import InfoPlist

@Suite struct InfoPlistCheckTests {
  private static func xml(_ content: String) -> [UInt8] {
    Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><!-- an app -->
      <dict>\(content)</dict>
      </plist>

      """.utf8
    )
  }

  private static func items(_ ids: String...) -> String {
    let items = ids.map { "<dict><key>SKAdNetworkIdentifier</key><string>\($0)</string></dict>" }
    return "<key>SKAdNetworkItems</key><array>\(items.joined())</array>"
  }

  private static let copies = """
    <key>NSAdvertisingAttributionReportEndpoint</key><string>https://example.com</string>
    <key>AdAttributionKit</key><dict><key>AttributionCopyEndpoint</key><string>https://example.com/</string>
    <key>OptInForReengagementPostbackCopies</key><true/></dict>
    """

  private func check(_ content: String, networks: [String] = []) -> InfoPlistCheck {
    InfoPlistCheck(file: "Info.plist", bytes: Self.xml(content), networks: networks)
  }

  private func codes(_ content: String, networks: [String] = []) -> [InfoPlistFinding.Code] {
    check(content, networks: networks).findings.map(\.code)
  }

  @Test func `a whole file has no findings`() {
    let ids = "<key>AdNetworkIdentifiers</key><array><string>abcdefghij.adattributionkit</string></array>"
    let check = check(Self.items("abcdefghij.skadnetwork") + ids + Self.copies, networks: ["abcdefghij.skadnetwork"])
    #expect(check.findings == [])
    #expect(check.skAdNetworkCopies == "https://example.com/.well-known/skadnetwork/report-attribution/")
    #expect(check.adAttributionKitCopies == "https://example.com/.well-known/appattribution/report-attribution/")
    #expect(check.asksForReengagements && check.format == .xml)
  }

  @Test func `keys beside AdAttributionKit are accepted too`() {
    let check = check(
      """
      <key>NSAdvertisingAttributionReportEndpoint</key><string>https://example.com</string>
      <key>AttributionCopyEndpoint</key><string>https://example.com</string>
      <key>EligibleForAdAttributionKitReengagementPostbackCopies</key><true/>
      """
    )
    #expect(check.findings == [] && check.adAttributionKitCopies != nil)
  }

  @Test(
    arguments: [
      ("abcdefghij.skadnetwork", []), ("Abcdefghij.skadnetwork", [.idUpperCase]), ("abcdefghij", [.idSuffix]),
      ("abcdefghij.adattributionkit", []), ("abcdefghij.skadnetwork ", [.idSuffix]),
      (" abcdefghij.skadnetwork", [.idForm]), (".skadnetwork", [.idForm]), ("abc.skadnetwork", [.idUnusual]),
      ("$(NETWORK)", [.variable]), ("${NETWORK}.skadnetwork", [.variable]), ("", [.idSuffix]),
    ] as [(String, [InfoPlistFinding.Code])]
  )
  func `an id is judged by its form`(_ id: String, _ expected: [InfoPlistFinding.Code]) {
    #expect(codes(Self.items(id) + Self.copies) == expected)
  }

  @Test func `an id that is there twice is found in any case, with its index`() {
    let check = check(Self.items("abcdefghij.skadnetwork", "ABCDEFGHIJ.skadnetwork") + Self.copies)
    #expect(check.findings.map(\.code) == [.idTwice, .idUpperCase])
    #expect(check.findings.allSatisfy { $0.keyPath == "SKAdNetworkItems[1].SKAdNetworkIdentifier" })
  }

  @Test func `an id that is there three times is found with the index of the first, in its own list alone`() {
    let id = "abcdefghij.skadnetwork"
    let others = "<key>AdNetworkIdentifiers</key><array><string>\(id)</string></array>"
    let check = check(Self.items("klmnopqrst.skadnetwork", id, id, id) + others + Self.copies)
    #expect(check.findings.map(\.code) == [.idTwice, .idTwice])
    #expect(check.findings.allSatisfy { $0.advice.contains("index 1.") })
  }

  @Test func `missing addresses for copies are warnings`() {
    #expect(codes(Self.items("abcdefghij.skadnetwork")) == [.endpointMissing, .endpointMissing])
    #expect(check("").errorCount == 0)
  }

  @Test(
    arguments: [
      ("http://example.com", .endpointInvalid), ("example.com", .endpointInvalid),
      ("https://localhost", .endpointInvalid),
      ("https://10.0.0.1", .endpointInvalid), ("https://user@example.com", .endpointInvalid),
      ("https://example.com:8443", .endpointInvalid), ("https://example.com/path", .endpointPath),
      ("https://ads.example.co.uk", .endpointSubdomain), ("https://co.uk", .endpointInvalid),
      ("https://$(HOST)", .variable), ("https://${HOST}", .variable), ("", .endpointInvalid),
    ] as [(String, InfoPlistFinding.Code)]
  )
  func `an address for copies is https and a domain alone`(_ address: String, _ expected: InfoPlistFinding.Code) {
    let content = Self.copies.replacing("<string>https://example.com</string>", with: "<string>\(address)</string>")
    #expect(codes(content) == [expected])
  }

  @Test func `copies go to the registrable domain`() {
    let check = check(
      """
      <key>NSAdvertisingAttributionReportEndpoint</key><string>https://ads.example.co.uk</string>
      <key>AttributionCopyEndpoint</key><string>https://www.example.com</string>
      <key>AdAttributionKit</key><dict><key>AttributionCopyEndpoint</key><string>https://ads.example.com</string></dict>
      """
    )
    #expect(check.skAdNetworkCopies == "https://example.co.uk/.well-known/skadnetwork/report-attribution/")
    #expect(check.adAttributionKitCopies == "https://example.com/.well-known/appattribution/report-attribution/")
    #expect(!check.findings.contains { $0.code == .endpointsDiffer })
  }

  @Test func `wrong types, misspelled keys and missing networks are errors`() {
    #expect(codes("<key>SKAdNetworkItems</key><string>x</string>" + Self.copies) == [.wrongType])
    #expect(
      codes("<key>SKAdNetworkItems</key><array><string>x</string><dict/></array>" + Self.copies) == [
        .wrongType, .keyMissing,
      ]
    )
    #expect(codes("<key>SKAdnetworkItems</key><array/>" + Self.copies) == [.keySpelling])
    #expect(codes(Self.items("abcdefghij.skadnetwork") + Self.items() + Self.copies) == [.keyTwice])
    #expect(
      codes(Self.copies, networks: ["a.skadnetwork", "a.adattributionkit"]) == [.networkMissing, .networkMissing]
    )
    #expect(
      codes(Self.copies + "<key>AttributionCopyEndpoint</key><string>https://b.example</string>") == [.endpointsDiffer]
    )
  }

  @Test(
    arguments: [
      "", "{}", "<plist>", "<plist></plist>", "<plist><dict><key>a</key></dict></plist>",
      "<plist><dict><string/></dict></plist>",
      "<plist><array></dict></plist>", "<plist><string>&unknown;</string></plist>", "<plist><string>a",
      "<plist><true/></plist>x",
      "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><true/></plist>", "bplist00",
      "bplist00" + String(repeating: "\u{0}", count: 60),
      String(repeating: "<array>", count: 100), "<plist>" + String(repeating: "<array>", count: 100_000),
    ]
  )
  func `text that is no property list is one finding`(_ text: String) {
    let check = InfoPlistCheck(file: "Info.plist", bytes: Array(text.utf8))
    #expect(check.findings.map(\.code) == [.unreadable])
  }

  @Test func `entities and CDATA are resolved`() throws {
    let text = "<plist><array><string>a&amp;b&#x41;&#66;<![CDATA[<c>]]></string><integer>1</integer></array></plist>"
    #expect(try PropertyList.parse(Array(text.utf8)).value == .array([.string("a&bAB<c>"), .integer(1)]))
  }
}
