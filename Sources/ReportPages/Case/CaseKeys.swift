internal import JSON
internal import PostbackVerification
internal import Signatures

/// The public keys that the examples of a case are verified with, each in a file of its own.
struct CaseKeys {
  /// A key with the commands that write it to a file.
  struct Entry {
    let key: TrustedKey
    /// The number of the key in the case, from 1.
    let number: Int

    /// The name of the file.
    var file: String { "key-\(number).pem" }

    /// The key as PEM, a line each.
    private var lines: [String] {
      let text = Array(ShellText.base64(key.subjectPublicKeyInfo).utf8)
      let rows = stride(from: 0, to: text.count, by: 64).map { start in
        String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self)
      }
      return ["-----BEGIN PUBLIC KEY-----"] + rows + ["-----END PUBLIC KEY-----"]
    }

    /// The key as PEM.
    var pem: String { lines.map { $0 + "\n" }.joined() }

    /// The command that writes the file.
    var command: String { "\(ShellText.lines(lines)) > \(file)" }

    /// The curve and the owner, for people.
    var description: String {
      let owner =
        switch key.environment {
        case .production: "Apple's key for real postbacks"
        case .development: "Apple's key for test postbacks"
        case .custom: "a key of the operator of these tables"
        }
      return "\(owner), \(key.key.curve.name)"
    }

    /// One JSON object.
    var json: JSONValue {
      .object([
        .init("key_id", .string(key.id)), .init("environment", .string(key.environment.rawValue)),
        .init("curve", .string(key.key.curve.name)), .init("file", .string(file)), .init("pem", .string(pem)),
        .init("command", .string(command)),
      ])
    }
  }

  private(set) var entries: [Entry] = []
  private var numbers: [Int: Int] = [:]
  let trust: TrustPolicy

  init(_ trust: TrustPolicy) { self.trust = trust }

  /// Returns the entry for a key, given as an index of `TrustPolicy.keys`. Keys are numbered in the order of their first use.
  mutating func entry(_ index: Int) -> Entry {
    if let number = numbers[index] { return entries[number - 1] }
    let entry = Entry(key: trust.keys[index], number: entries.count + 1)
    entries.append(entry)
    numbers[index] = entry.number
    return entry
  }
}
