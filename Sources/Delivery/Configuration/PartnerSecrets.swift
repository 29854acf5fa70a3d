internal import Base

/// The secrets of a partner, which must not stand in what is kept of its answers.
struct PartnerSecrets: Sendable {
  private var secrets: [[UInt8]] = []

  /// Adds a secret, and what stands in it behind the name of a scheme, such as `Bearer` or `whsec_`.
  mutating func add(_ secret: String) {
    let secret = String(secret[...].trimmed)
    var parts = [secret]
    if let space = secret.firstIndex(of: " ") { parts.append(String(secret[space...].trimmed)) }
    if secret.hasPrefix("whsec_") { parts.append(String(secret.dropFirst("whsec_".count))) }
    for part in parts.map({ Array($0.utf8) }) where !part.isEmpty && !secrets.contains(part) { secrets.append(part) }
  }

  /// Returns an answer with `…` in place of each secret, and of the beginning of one at its end, where it may be cut. Each character
  /// of a secret may be escaped as `EscapedAnswer` describes.
  func masked(_ answer: String) -> String {
    let text = EscapedAnswer(answer)
    var found: [Range<Int>] = []
    for start in text.bytes.indices {
      guard let end = secrets.compactMap({ text.end(of: $0, from: start) }).max() else { continue }
      if let last = found.last, start < last.upperBound {
        found[found.count - 1] = last.lowerBound..<max(last.upperBound, end)
      } else {
        found.append(start..<end)
      }
    }
    guard !found.isEmpty else { return answer }
    var result: [UInt8] = []
    var kept = 0
    for range in found {
      result += text.bytes[kept..<range.lowerBound]
      result += "…".utf8
      kept = range.upperBound
    }
    return String(decoding: result + text.bytes[kept...], as: UTF8.self)
  }
}
