internal import Base
internal import JSON

/// The secrets of a partner, which must not stand in what is kept of its answers.
struct PartnerSecrets: Sendable {
  /// The texts that an answer may repeat, the longest ones first.
  private var texts: [[Unicode.Scalar]] = []

  private static let mask: [Unicode.Scalar] = ["…"]
  /// The least length of the beginning of a secret that is masked where an answer ends.
  private static let leastBeginning = 4

  /// Adds a secret, also as it is written in JSON and in URLs, and what stands in it behind the name of a scheme, such as `Bearer`
  /// or `whsec_`.
  mutating func add(_ secret: String) {
    let secret = String(secret[...].trimmed)
    var parts = [secret]
    if let space = secret.firstIndex(of: " ") { parts.append(String(secret[space...].trimmed)) }
    if secret.hasPrefix("whsec_") { parts.append(String(secret.dropFirst("whsec_".count))) }
    for part in parts {
      let escaped = [false, true].map { escapingSlashes in
        var json: [UInt8] = []
        json.appendJSONString(part, escapingSlashes: escapingSlashes)
        return String(decoding: json.dropFirst().dropLast(), as: UTF8.self)
      }
      for text in escaped + [part, part.percentEncoded] {
        let scalars = Array(text.unicodeScalars)
        if !scalars.isEmpty, !texts.contains(scalars) { texts.append(scalars) }
      }
    }
    texts.sort { $0.count > $1.count }
  }

  /// Returns an answer with `…` in place of each secret, and of the beginning of one at its end, where it may be cut.
  func masked(_ answer: String) -> String {
    guard !texts.isEmpty else { return answer }
    var scalars = Array(answer.unicodeScalars)
    for text in texts { scalars = scalars.replacing(text, with: Self.mask) }
    // A character that is cut is read as U+FFFD.
    let whole = scalars.last == "\u{FFFD}" ? scalars.dropLast() : scalars[...]
    let cut = texts.compactMap { Self.beginning(of: $0, endingIn: whole) }.max()
    if let cut { scalars = whole.dropLast(cut) + Self.mask }
    return String(String.UnicodeScalarView(scalars))
  }

  /// The length of the longest beginning of a secret that is the end of a text; nil if there is none of the least length.
  private static func beginning(of secret: [Unicode.Scalar], endingIn text: ArraySlice<Unicode.Scalar>) -> Int? {
    stride(from: min(secret.count - 1, text.count), through: leastBeginning, by: -1).first { count in
      text.suffix(count).elementsEqual(secret.prefix(count))
    }
  }
}
