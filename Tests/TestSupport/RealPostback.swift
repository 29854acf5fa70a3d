/// A real postback with the known facts about it.
package struct RealPostback: Sendable, CustomStringConvertible {
  package let name: String
  package let version: String
  package let signatureState: String
  package let bytes: [UInt8]

  package var description: String { name }
  package var object: Object { Object(bytes) }

  package static let all = Fixtures.objects("postbacks.truth.jsonl").map { entry in
    let line = entry["line"].flatMap { Int($0) } ?? 0
    return RealPostback(
      name: entry.string("name") ?? "",
      version: entry.string("version") ?? "",
      signatureState: entry.string("signature_state") ?? "",
      bytes: Fixtures.lines("postbacks/" + (entry.string("file") ?? ""))[line - 1]
    )
  }

  package static subscript(_ name: String) -> RealPostback {
    guard let postback = all.first(where: { $0.name == name }) else { fatalError("no postback is named \(name)") }
    return postback
  }

  package static let v1 = Self["real-1.0-ironsource"]
  package static let v20 = Self["apple-doc-2.0"]
  package static let v21 = Self["real-2.1-ironsource"]
  package static let v22 = Self["apple-doc-2.2"]
  package static let v3 = Self["apple-doc-3.0-win"]
  package static let v4 = Self["apple-doc-4.0-web-high-tier"]
  package static let v4Coarse = Self["apple-doc-4.0-web-low-tier"]
  package static let adAttributionKit = Self["apple-doc-aak-dev1"]
}
