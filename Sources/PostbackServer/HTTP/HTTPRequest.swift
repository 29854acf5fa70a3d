/// A request whose head, and later whose body, is there.
package struct HTTPRequest: Sendable {
  /// A header.
  package struct Field: Hashable, Sendable {
    /// The name as it was sent.
    package let name: String
    /// The value as it was sent.
    package let value: String

    /// A name and its value.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// `GET`, `POST`, as it was sent.
  package let method: String
  /// What stands before the question mark, as it was sent: nothing is decoded, and nothing is a file.
  package let path: String
  /// What stands behind the question mark, as it was sent.
  package let query: String
  /// The headers, in order.
  package let headers: [Field]
  /// Who sent it: of what trusted proxies forward, whom they name.
  package let client: IPAddress
  /// The body; empty while only the head is there.
  package internal(set) var body: [UInt8] = []

  /// A request for a target, such as `/healthz?verbose=1`.
  package init(method: String, target: String, headers: [Field] = [], client: IPAddress, body: [UInt8] = []) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.method = method
    path = String(parts[0])
    query = parts.count > 1 ? String(parts[1]) : ""
    self.headers = headers
    self.client = client
    self.body = body
  }

  /// The values of all headers with a name, whatever its case.
  package func values(of name: String) -> [String] {
    headers.filter { $0.name.isEqualIgnoringCase(to: name) }.map(\.value)
  }
}

extension UInt8 {
  fileprivate var lowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}

extension String {
  /// Whether both are the same but for the case of ASCII letters.
  func isEqualIgnoringCase(to other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
  }
}
