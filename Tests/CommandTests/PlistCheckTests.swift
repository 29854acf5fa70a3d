import TestSupport
import Testing

@Suite struct `plist check` {
  @Test func `refuses an empty list of networks`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.makeFile("Info.plist", holding: Array("<plist><dict/></plist>".utf8))
    let list = try folder.makeFile("networks.txt", holding: [])
    let result = try await BuiltCommand.run(["plist", "check", file, "--networks", list])
    #expect(result.status == 65 && result.errorText.contains("no id of an ad network"), "\(result.errorText)")
  }

  @Test(arguments: [
    ("PostbackCopyURL", "<string>https://example.com</string>", "AttributionCopyEndpoint"),
    ("SKAdNetworkItem", "<array/>", "SKAdNetworkItems"),
    ("AdNetworkIdentifier", "<array/>", "AdNetworkIdentifiers"),
  ])
  func `names the key of the system that a key beside others was meant for`(
    _ key: String,
    _ value: String,
    _ right: String
  ) async throws {
    let folder = try TemporaryFolder()
    let text = "<plist><dict><key>\(key)</key>\(value)<key>CFBundleName</key><string>App</string></dict></plist>"
    let file = try folder.makeFile("Info.plist", holding: Array(text.utf8))
    let result = try await BuiltCommand.run(["plist", "check", file])
    #expect(result.status == 65, "\(result.errorText)")
    #expect(result.text.contains("\(key): error key_unknown"), "\(result.text)")
    #expect(result.text.contains("does not know the key. Write \(right)."), "\(result.text)")
  }
}
