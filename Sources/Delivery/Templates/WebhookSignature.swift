internal import Base
internal import Signatures

/// The signature of a request by Standard Webhooks: an HMAC over the id, the time and the body.
struct WebhookSignature: Sendable {
  /// One secret, or two while a secret is exchanged.
  let secrets: [[UInt8]]

  /// The headers of a request.
  func headers(id: String, unixSeconds: Int64, body: [UInt8]) throws(LibcryptoFailure) -> [String] {
    let message = Array("\(id).\(unixSeconds).".utf8) + body
    var signatures: [String] = []
    for secret in secrets {
      let digest = try HMAC.sha256(of: message.span, secret: secret.span)
      signatures.append("v1,\(String(decoding: Base64.standard.encode(digest), as: UTF8.self))")
    }
    return [
      "webhook-id: \(id)", "webhook-timestamp: \(unixSeconds)",
      "webhook-signature: \(signatures.joined(separator: " "))",
    ]
  }

  /// The bytes of a secret: those that base64 behind `whsec_` stands for, else those of the text. Nil if the base64 is not
  /// valid.
  static func secret(_ text: [UInt8]) -> [UInt8]? {
    let prefix = Array("whsec_".utf8)
    guard text.starts(with: prefix) else { return text }
    let base64 = Array(text[prefix.count...])
    var bytes: [UInt8] = []
    return Base64.standard.decode(base64.span, appendingTo: &bytes) ? bytes : nil
  }
}
