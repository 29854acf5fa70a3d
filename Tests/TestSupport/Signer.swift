import Base
internal import JSON
package import SKAdNetwork
package import Signatures

/// A key for tests, and postbacks that it signs.
package struct Signer {
  private let key: SigningKey
  private let id: String

  package init(_ curve: Curve, id: String, seed: String = "a key for tests") throws {
    var hash = try SHA256()
    key = try SigningKey(curve: curve, scalarFrom: try hash.digest(of: Array(seed.utf8).span))
    self.id = id
  }

  package init(_ key: SigningKey, id: String) { (self.key, self.id) = (key, id) }

  /// The key in the form that `--trust-key` expects.
  package var base64: String { String(decoding: Base64.standard.encode(key.subjectPublicKeyInfo), as: UTF8.self) }

  /// Returns the postback with a signature of its content under a layout.
  package func sign(_ object: Object, _ layout: SignedLayout = .asSent) throws -> Object {
    let signature = try key.sign(try digest(of: object, layout), as: .der)
    let base64 = String(decoding: Base64.standard.encode(signature), as: UTF8.self)
    return object.with(["attribution-signature": Object.quoted(base64)])
  }

  /// The digest of the postback's signed text.
  package func digest(of object: Object, _ layout: SignedLayout = .asSent) throws -> SHA256Digest {
    var object = object
    object["attribution-signature"] = "\"-\""
    let text = Array(object.text.utf8)
    var parser = PostbackParser()
    var bytes = text + [UInt8](repeating: 0, count: JSONParser.padding)
    let postback = try parser.parse(0..<text.count, of: &bytes)
    var message: [UInt8] = []
    postback.appendSignedMessage(layout, of: bytes, to: &message)
    var hash = try SHA256()
    return try hash.digest(of: message.span)
  }

  /// Returns an AdAttributionKit postback with a JWS over a payload.
  package func sign(payload: String, header: String? = nil, beside: [String: String] = [:]) throws -> Object {
    func encoded(_ text: [UInt8]) -> String { String(decoding: Base64.url.encode(text), as: UTF8.self) }
    let header = header ?? "{\"alg\":\"ES256\",\"kid\":\"\(id)\"}"
    let input = encoded(Array(header.utf8)) + "." + encoded(Array(payload.utf8))
    var hash = try SHA256()
    let signature = try key.sign(try hash.digest(of: Array(input.utf8).span), as: .raw)
    var object = Object("{}")
    object["jws-string"] = Object.quoted(input + "." + encoded(signature))
    return object.with(beside)
  }
}
