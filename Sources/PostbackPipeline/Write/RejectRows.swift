internal import JSON
internal import SKAdNetwork
internal import Signatures

extension RowEncoder {
  /// A row of `skan_rejects`.
  mutating func encode(
    _ rejection: Rejection,
    of bytes: [UInt8],
    _ names: RowNames,
    _ hash: inout SHA256
  ) throws(LibcryptoFailure) {
    let raw = bytes[rejection.record.bytes.indices]
    word(rejection.code.stage)
    word(rejection.code)
    hostile(Array(rejection.explanation.utf8)[...])
    hostile(rejection.field.map { Array($0.utf8)[...] })
    text(rejection.expected)
    hostile(rejection.found.map { Array($0.utf8)[...] })
    hostile(rejection.claims.adNetworkID.map { bytes[$0.indices] })
    hostile(rejection.claims.transactionID.map { bytes[$0.indices] })
    hostile(rejection.claims.appID.map { bytes[$0.indices] })
    hostile(rejection.claims.version.map { bytes[$0.indices] })
    if let firstSeen = rejection.firstSeen { plain { firstSeen.append(to: &$0) } } else { null() }
    json(rejection.conflicts.isEmpty ? nil : Self.json(rejection.conflicts)[...])
    encode(rejection.arrival, of: bytes)
    text(names.source[...])
    integer(Int64(rejection.record.line))
    let digest = try rejection.record.digest(of: raw.span, &hash).bytes
    plain { text in for index in digest.indices { text.appendHexadecimal(digest[index]) } }
    let isText = !raw.contains(0) && raw.isUTF8
    text(isText ? raw : nil)
    text(isText ? nil : Base64.standard.encode(raw)[...])
    endRow()
  }

  /// A text that nobody has checked, with U+2400, ␀, for each NUL: hardly anything that reads CSV lives through one.
  private mutating func hostile(_ text: ArraySlice<UInt8>?) {
    guard let text, text.contains(0) else { return self.text(text) }
    self.text(Array(text.split(separator: 0, omittingEmptySubsequences: false).joined(separator: "␀".utf8))[...])
  }

  /// Field by field what the first copy had and what this one has.
  private static func json(_ conflicts: [UnsignedFields.Conflict]) -> [UInt8] {
    func append(_ name: String, _ value: String?, to text: inout [UInt8]) {
      text.append(contentsOf: "\"\(name)\":".utf8)
      if let value { text.appendJSONString(value) } else { text.append(contentsOf: "null".utf8) }
    }
    var text: [UInt8] = []
    for conflict in conflicts {
      text.append(contentsOf: (text.isEmpty ? "[{" : ",{").utf8)
      append("field", conflict.field.name, to: &text)
      text.append(UInt8(ascii: ","))
      append("first", conflict.first, to: &text)
      text.append(UInt8(ascii: ","))
      append("later", conflict.later, to: &text)
      text.append(UInt8(ascii: "}"))
    }
    text.append(UInt8(ascii: "]"))
    return text
  }
}

extension Record {
  /// SHA-256 of all bytes of the record, also those that were not kept.
  fileprivate func digest(of kept: Span<UInt8>, _ hash: inout SHA256) throws(LibcryptoFailure) -> SHA256Digest {
    if case .tooLarge(_, let digest) = defect { return digest }
    return try hash.digest(of: kept)
  }
}

extension ArraySlice<UInt8> {
  /// Whether the bytes are UTF-8 (RFC 3629).
  fileprivate var isUTF8: Bool { String(validating: self, as: UTF8.self) != nil }
}
