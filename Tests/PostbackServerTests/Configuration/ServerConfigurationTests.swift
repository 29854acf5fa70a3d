import Foundation
import JSON
import PostbackVerification
import TestSupport
import Testing

@testable import PostbackServer

@Suite struct `The server configuration` {
  /// Reads a configuration in which `FOLDER` stands for a folder with two good secrets and a short one.
  private func read(_ text: String, readsSecrets: Bool = true) throws -> ServerConfiguration {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("postback-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("0123456789abcdef\r\n".utf8).write(to: folder.appendingPathComponent("good"))
    try Data("another-secret-of-many-bytes".utf8).write(to: folder.appendingPathComponent("other"))
    try Data("short\n".utf8).write(to: folder.appendingPathComponent("short"))
    let file = folder.appendingPathComponent("server.json")
    try Data(text.replacing("FOLDER", with: folder.path).utf8).write(to: file)
    do throws(ConfigurationErrors) {
      return try ServerConfiguration(reading: file.path, readsSecrets: readsSecrets)
    } catch {
      throw Problems(texts: error.problems.map { $0.replacing(folder.path + "/", with: "") })
    }
  }

  private struct Problems: Error {
    let texts: [String]
  }

  private func problems(_ text: String) throws -> [String] {
    do { _ = try read(text) } catch let problems as Problems { return problems.texts }
    return []
  }

  @Test func `is read from every key of its file`() throws {
    let configuration = try read(
      """
      {"listen":"[::1]:9000","spool":"/var/spool/postback","out":"o","state":"s","models":["a","b"],"trusted_proxies":["10.0.0.0/8","::1"],
       "forwarders":[{"name":"a","bearer_token_file":"FOLDER/good"},
        {"name":"b","hmac_secret_file":"FOLDER/other","hmac_header":"X-Hub"}],
       "limits":{"connections":7,"waiting_bytes":2097152}}
      """
    )
    #expect(configuration.listen == ListenAddress("[::1]:9000"))
    #expect(configuration.spool == "/var/spool/postback" && configuration.models == ["a", "b"])
    #expect(configuration.out == "o" && configuration.state == "s" && configuration.trustedKeys.isEmpty)
    #expect(configuration.trustedProxies == ["10.0.0.0/8", "::1"].compactMap { AddressRange($0) })
    #expect(configuration.limits.connections == 7 && configuration.waitingBytes == 2 << 20)
    #expect(configuration.postbackBytes == 65536)
    guard configuration.forwarders.count == 2, case .bearer(let tokens) = configuration.forwarders[0].secret,
      case .hmac(let secrets, let signature) = configuration.forwarders[1].secret
    else {
      Issue.record("The forwarders are not those of the file.")
      return
    }
    #expect(tokens == [Array("0123456789abcdef".utf8)] && signature.header == "X-Hub")
    #expect(signature.timestamp == nil)
    #expect(secrets == [Array("another-secret-of-many-bytes".utf8)])
    #expect(try read("{}").forwarders.isEmpty)
  }

  @Test func `reports all problems at once, each with its place`() throws {
    let found = try problems(
      """
      {"listen":"8080","spool":"","models":"a","trusted_proxies":["10.0.0.1/8",7],"tls":true,
       "forwarders":[{"name":"a b","bearer_token_file":"FOLDER/good"},{"name":"b"},
        {"name":"c","hmac_secret_file":"FOLDER/short"},{"name":"d","bearer_token_file":"FOLDER/missing"},
        {"name":"e","bearer_token_file":"FOLDER/good","hmac_header":"X"},{"name":"f","hmac_secret_file":"FOLDER/good"},
        {"name":"e","hmac_secret_file":"FOLDER/other"},{"bearer_token_file":"FOLDER/other"}],
       "limits":{"connections":0,"threads":1.5,"speed":1}}
      """
    )
    let places = found.map { $0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces) }
    #expect(
      places == [
        "/tls", "/listen", "/spool", "/models", "/trusted_proxies/0", "/trusted_proxies/1", "/forwarders/0/name",
        "/forwarders/1", "/forwarders/2/hmac_secret_file", "/forwarders/3/bearer_token_file",
        "/forwarders/4/hmac_header", "/forwarders/5", "/forwarders/6/name", "/forwarders/7/name", "/limits/speed",
        "/limits/threads", "/limits/connections",
      ]
    )
    // No message holds a secret.
    #expect(found.allSatisfy { !$0.contains("0123456789abcdef") && !$0.contains("another-secret") })
  }

  @Test func `gives each server an address of its own`() throws {
    let view = #""view":{"listen":"127.0.0.1:9000","users":[]}"#
    #expect(
      try problems(#"{"listen":"127.0.0.1:9000",\#(view)}"#).contains {
        $0.contains("/view/listen: The address is that")
      }
    )
    let metrics = #"{"listen":"127.0.0.1:9000","metrics_listen":"127.0.0.1:9000"}"#
    #expect(try problems(metrics).contains { $0.contains("/metrics_listen: The address is that of listen, too.") })
    #expect(try problems(#"{"listen":"127.0.0.1:0","metrics_listen":"127.0.0.1:0"}"#).isEmpty)
    #expect(try problems(#"{"retain":"9d","retain_tables":[]}"#).contains { $0.contains("The array is empty") })
  }

  @Test func `refuses secrets of several lines, and signatures that cover something else`() throws {
    let lines = FileManager.default.temporaryDirectory.appendingPathComponent("postback-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: lines) }
    try Data("0123456789abcdef\n0123456789abcdef\n".utf8).write(to: URL(filePath: lines))
    let found = try problems(
      """
      {"forwarders":[{"name":"a","bearer_token_file":"\(lines)"},{"name":"b","hmac_secret_file":"\(lines)"},
        {"name":"c","hmac_secret_file":"FOLDER/good","hmac_covers":["body","query"]},
        {"name":"d","hmac_secret_file":"FOLDER/other","hmac_window_seconds":9},
        {"name":"e","hmac_secret_file":"FOLDER/other","hmac_covers":["body","path","query","timestamp"],"hmac_window_seconds":0}],
       "schema_token_files":["\(lines)"]}
      """
    )
    let places = found.map { $0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces) }
    #expect(
      places
        == [
          "/forwarders/0/bearer_token_file", "/forwarders/1/hmac_secret_file", "/forwarders/2/hmac_covers",
          "/forwarders/3/hmac_window_seconds", "/forwarders/4/hmac_window_seconds", "/forwarders/4",
          "/schema_token_files/0",
        ].filter { place in places.contains(place) } && places.count >= 6
    )
    #expect(found.count { $0.contains("line break") } == 3)
  }

  @Test(arguments: [
    "0123456789\u{1}abcdef", "0123456789abcdef ", " 0123456789abcdef", "é123456789abcdef\né", "0123456789\tabcdef",
  ])
  func `refuses a token that no request can send`(_ token: String) throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("postback-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(token.utf8).write(to: URL(filePath: path))
    let found = try problems(
      """
      {"forwarders":[{"name":"a","bearer_token_file":"\(path)"}],"schema_token_files":["\(path)"]}
      """
    )
    #expect(found.count == 2)
    #expect(found.allSatisfy { $0.contains("no request can send it") || $0.contains("line break") })
  }

  @Test func `adds trusted keys, and refuses the name of a key that is trusted already`() throws {
    let key = try #require(TrustPolicy.apple().keys.last).subjectPublicKeyInfo
    let base64 = Data(key).base64EncodedString()
    let keys = try read(#"{"trusted_keys":[{"id":"mine","key":"\#(base64)"}]}"#).trustedKeys
    #expect(keys == [ConfiguredKey(id: "mine", base64: base64)])
    let found = try problems(
      """
      {"trusted_keys":[{"id":"mine","key":"\(base64)"},{"id":"mine","key":"\(base64)"},{"id":"other","key":"AAAA"},
       {"id":"apple-cas-identifier/0","key":"\(base64)"},{"key":"\(base64)"},{"id":"x"},7,{"id":"y","key":"","kid":1}]}
      """
    )
    let places = found.map { $0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces) }
    #expect(
      places == [
        "/trusted_keys/1", "/trusted_keys/2", "/trusted_keys/3", "/trusted_keys/4/id", "/trusted_keys/5/key",
        "/trusted_keys/6", "/trusted_keys/7/kid", "/trusted_keys/7",
      ]
    )
  }

  @Test func `adds keys of Apple's with their environment, and refuses keys that only look like them`() throws {
    let base64 = Data(try #require(TrustPolicy.apple().keys.last).subjectPublicKeyInfo).base64EncodedString()
    let added = try read(
      """
      {"apple_keys":[{"id":"apple-cas-identifier/1","key":"\(base64)","environment":"production","valid_from":"2026-12-01"},
       {"id":"apple-development-identifier/2","key":"\(base64)","environment":"development"}]}
      """
    )
    #expect(added.trustedKeys.isEmpty && added.appleKeys.map(\.environment) == [.production, .development])
    #expect(added.appleKeys.map { $0.validFrom.map { "\($0)" } } == ["2026-12-01T00:00:00Z", nil])
    #expect(
      added.appleKeys.map(\.option)
        == [
          "apple-cas-identifier/1=\(base64),production,2026-12-01T00:00:00Z",
          "apple-development-identifier/2=\(base64),development",
        ]
    )
    let found = try problems(
      """
      {"apple_keys":[{"id":"apple-cas-identifier/0","key":"\(base64)","environment":"production"},
       {"id":"a","key":"\(base64)","environment":"custom"},{"id":"b","key":"\(base64)"},
       {"id":"c","key":"\(base64)","environment":"production","valid_from":"soon"}],
       "trusted_keys":[{"id":"Apple-cas-identifier/1","key":"\(base64)"}]}
      """
    )
    let places = found.map { $0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces) }
    #expect(
      places == [
        "/apple_keys/0", "/apple_keys/1/environment", "/apple_keys/2/environment", "/apple_keys/3/valid_from",
        "/trusted_keys/0",
      ]
    )
  }

  @Test func `may give a forwarder two secrets, each its own`() throws {
    let two = try read(#"{"forwarders":[{"name":"a","bearer_token_file":["FOLDER/good","FOLDER/other"]}]}"#).forwarders
    guard case .bearer(let tokens)? = two.first?.secret else {
      Issue.record("The forwarder has no token.")
      return
    }
    #expect(tokens == [Array("0123456789abcdef".utf8), Array("another-secret-of-many-bytes".utf8)])
    let found = try problems(
      """
      {"forwarders":[{"name":"a","hmac_secret_file":[]},{"name":"b","hmac_secret_file":["FOLDER/good","FOLDER/good"]},
       {"name":"c","bearer_token_file":["FOLDER/good","FOLDER/short"]},
       {"name":"d","bearer_token_file":["FOLDER/good","FOLDER/other","FOLDER/good"]},
       {"name":"e","bearer_token_file":["FOLDER/other"]},{"name":"f","hmac_secret_file":["FOLDER/good","FOLDER/other"]}]}
      """
    )
    let places = found.map { $0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces) }
    #expect(
      places == [
        "/forwarders/0/hmac_secret_file", "/forwarders/1/hmac_secret_file", "/forwarders/2/bearer_token_file/1",
        "/forwarders/3/bearer_token_file", "/forwarders/5",
      ]
    )
  }

  @Test func `of a process without forwarders needs no access to their secrets`() throws {
    let text = #"{"spool":"s","forwarders":[{"name":"a","bearer_token_file":"FOLDER/missing"}]}"#
    #expect(try read(text, readsSecrets: false).forwarders.isEmpty)
    #expect(throws: Problems.self) { try read(text) }
    // Everything else is checked all the same.
    #expect(throws: Problems.self) { try read(#"{"forwarders":[{"name":"a b"}]}"#, readsSecrets: false) }
  }

  @Test(arguments: ["", "[]", "{", #"{"a":1,"a":2}"#, "7"]) func `must be one JSON object`(_ text: String) throws {
    #expect(try problems(text).count == 1)
  }

  @Test func `must exist`() {
    #expect(throws: ConfigurationErrors.self) { try ServerConfiguration(reading: "/nowhere/server.json") }
  }

  @Test func `has the keys of its schema`() throws {
    let schema = try JSONValue(parsing: Fixtures.bytes("../schemas/server_configuration.schema.json"))
    func keys(_ path: String...) -> [String] {
      if case .object(let members)? = Self.member(schema, path) { members.map(\.key) } else { [] }
    }
    #expect(keys("properties") == ConfigurationReader.keys)
    #expect(keys("properties", "trusted_keys", "items", "properties") == ConfigurationReader.trustedKeyKeys)
    #expect(keys("properties", "apple_keys", "items", "properties") == ConfigurationReader.appleKeyKeys)
    #expect(keys("properties", "forwarders", "items", "properties") == ConfigurationReader.forwarderKeys)
    #expect(keys("properties", "view", "properties") == ViewConfiguration.keys)
    #expect(keys("properties", "view", "properties", "users", "items", "properties") == ViewConfiguration.userKeys)
  }

  @Test func `has the limits of its schema`() throws {
    let schema = try JSONValue(parsing: Fixtures.bytes("../schemas/server_configuration.schema.json"))
    let limits = try #require(Self.member(schema, ["properties", "limits", "properties"]))
    guard case .object(let members) = limits else { return }
    #expect(Set(members.map(\.key)) == Set(LimitSetting.all.map(\.key)))
    for limit in LimitSetting.all {
      func number(_ name: String) -> Int? {
        if case .number(let text)? = Self.member(limits, [limit.key, name]) { Int(text) } else { nil }
      }
      #expect(number("minimum") == limit.range.lowerBound, "\(limit.key)")
      #expect(number("maximum") == limit.range.upperBound, "\(limit.key)")
      #expect(number("default") == ServerConfiguration()[keyPath: limit.path], "\(limit.key)")
    }
  }

  private static func member(_ value: JSONValue, _ path: [String]) -> JSONValue? {
    path.reduce(value) { (value: JSONValue?, key) in
      guard case .object(let members)? = value else { return nil }
      return members.first { $0.key == key }?.value
    }
  }
}
