import FoundationEssentials
import JSON
import Testing

@testable import SKAdNetwork

/// The folder `Fixtures` of the package.
enum Fixtures {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures")

  static func bytes(_ path: String) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: folder.appending(path: path).path) else {
      fatalError("Fixtures/\(path) is not there")
    }
    return [UInt8](data)
  }

  /// The lines that hold something.
  static func lines(_ path: String) -> [[UInt8]] {
    bytes(path).split(separator: UInt8(ascii: "\n")).map(Array.init)
  }

  /// The objects of a JSON Lines file.
  static func objects(_ path: String) -> [Object] { lines(path).map(Object.init) }
}

/// A flat JSON object whose members can be changed. Values are JSON as it is written.
struct Object {
  private var members: [(key: String, json: String)] = []

  init(_ text: [UInt8]) {
    guard case .object(let parsed)? = try? JSONValue(parsing: text) else { fatalError("a fixture is not an object") }
    members = parsed.map { ($0.key, Self.json($0.value)) }
  }

  init(_ text: String) { self.init(Array(text.utf8)) }

  /// A member as JSON. Setting nil takes it out; a new one comes last.
  subscript(key: String) -> String? {
    get { members.first { $0.key == key }?.json }
    set {
      let index = members.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): members[index].json = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append((key, value))
      case (nil, nil): break
      }
    }
  }

  /// The text of a member that is a string, or its JSON.
  func string(_ key: String) -> String? {
    guard let json = self[key] else { return nil }
    if case .string(let text)? = try? JSONValue(parsing: Array(json.utf8)) { return text }
    return json == "null" ? nil : json
  }

  var keys: [String] { members.map(\.key) }

  var text: String { "{" + members.map { "\(Self.quoted($0.key)):\($0.json)" }.joined(separator: ",") + "}" }

  /// A copy with members set.
  func with(_ changes: [String: String?]) -> Object {
    var copy = self
    for (key, value) in changes.sorted(by: { $0.key < $1.key }) { copy[key] = value }
    return copy
  }

  static func quoted(_ text: String) -> String {
    var json: [UInt8] = []
    json.appendJSONString(text)
    return String(decoding: json, as: UTF8.self)
  }

  static func json(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let text): text
    case .string(let text): quoted(text)
    case .array(let elements): "[" + elements.map(json).joined(separator: ",") + "]"
    case .object(let members): "{" + members.map { "\(quoted($0.key)):\(json($0.value))" }.joined(separator: ",") + "}"
    }
  }
}

/// A real postback, with what is known of it.
struct RealPostback: CustomTestStringConvertible {
  let name: String
  let version: String
  let signatureState: String
  let bytes: [UInt8]

  var testDescription: String { name }
  var object: Object { Object(bytes) }

  static let all = Fixtures.objects("postbacks.truth.jsonl").map { entry in
    let line = entry["line"].flatMap { Int($0) } ?? 0
    return RealPostback(
      name: entry.string("name") ?? "",
      version: entry.string("version") ?? "",
      signatureState: entry.string("signature_state") ?? "",
      bytes: Fixtures.lines("postbacks/" + (entry.string("file") ?? ""))[line - 1]
    )
  }

  static subscript(_ name: String) -> RealPostback {
    guard let postback = all.first(where: { $0.name == name }) else { fatalError("no postback is named \(name)") }
    return postback
  }

  static let v1 = Self["real-1.0-ironsource"]
  static let v20 = Self["apple-doc-2.0"]
  static let v21 = Self["real-2.1-ironsource"]
  static let v22 = Self["apple-doc-2.2"]
  static let v3 = Self["apple-doc-3.0-win"]
  static let v4 = Self["apple-doc-4.0-web-high-tier"]
  static let v4Coarse = Self["apple-doc-4.0-web-low-tier"]
  static let adAttributionKit = Self["apple-doc-aak-dev1"]
}
