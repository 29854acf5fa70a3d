internal import Base
internal import PostbackVerification
internal import Tables
internal import Glibc
internal import JSON
internal import SKAdNetwork
internal import Signatures

extension RowEncoder {
  /// Encodes a row of `skan_rejects`.
  mutating func encode(
    _ rejection: Rejection,
    of bytes: [UInt8],
    from source: [UInt8],
    _ format: RowFormat,
    _ hash: inout SHA256
  ) throws(LibcryptoFailure) {
    // A record that is no envelope, but may be a part of one.
    let isBroken = !rejection.record.isUnwrapped && [.parse, .schema].contains(rejection.code.stage)
    let redacted =
      isBroken && !format.keepsAddresses
      ? PersonalMember.removed(fromBroken: bytes[rejection.record.bytes.indices]) : nil
    let held = redacted ?? bytes
    let range = redacted?.indices ?? rejection.record.bytes.indices
    let raw = held.span.extracting(range)
    word(.stage, rejection.code.stage.rawValue)
    word(.rejectCode, rejection.code.rawValue)
    hostile(.rejectDetail, rejection.explanation)
    hostile(.field, rejection.field)
    text(.expected, rejection.expected)
    hostile(.found, rejection.found)
    hostile(.adNetworkID, rejection.claims.adNetworkID, of: bytes)
    hostile(.transactionID, rejection.claims.transactionID, of: bytes)
    hostile(.appID, rejection.claims.appID, of: bytes)
    hostile(.version, rejection.claims.version, of: bytes)
    if let firstSeen = rejection.firstSeen {
      plain(.firstSeenPostbackKey, upTo: PostbackKey.length) { firstSeen.write(to: &$0) }
    } else {
      null(.firstSeenPostbackKey)
    }
    if rejection.conflicts.isEmpty {
      null(.conflictingFields)
    } else {
      json(.conflictingFields, Self.json(rejection.conflicts).span)
    }
    encode(rejection.arrival, of: bytes, format)
    text(.sourceFile, source.span)
    integer(.sourceLine, Int64(rejection.record.line))
    if let range = rejection.arrival.query {
      let query = bytes[range.indices]
      let kept = format.keepsAddresses ? Array(query) : PersonalMember.removed(fromQuery: query)
      hostile(.query, kept.span)
    } else {
      null(.query)
    }
    let digest = try rejection.record.digest(of: raw, &hash).bytes
    plain(.rawSHA256, upTo: 2 * digest.count) { $0.append(hexadecimal: digest.span) }
    if !raw.containsNUL && raw.isUTF8 {
      text(.rawBody, raw)
      null(.rawBodyBase64)
    } else {
      null(.rawBody)
      text(.rawBodyBase64, Base64.standard.encode(held[range]).span)
    }
    endRow()
  }

  /// Encodes a text that was not checked, with U+2400, ␀, in place of each NUL, because most CSV readers fail at a NUL.
  private mutating func hostile(_ name: ColumnName, _ text: Span<UInt8>) {
    guard text.containsNUL else { return self.text(name, text) }
    var shown: [UInt8] = []
    for index in text.indices {
      if text[index] == 0 { shown.append(contentsOf: "␀".utf8) } else { shown.append(text[index]) }
    }
    self.text(name, shown.span)
  }

  private mutating func hostile(_ name: ColumnName, _ text: String?) {
    guard let text else { return null(name) }
    hostile(name, text.utf8.span)
  }

  private mutating func hostile(_ name: ColumnName, _ range: ByteRange?, of bytes: [UInt8]) {
    guard let range else { return null(name) }
    hostile(name, bytes.span.extracting(range.indices))
  }

  /// Returns the conflicts as a JSON array: for each field, the value in the first copy and the value in this one.
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
  /// Returns the SHA-256 of all bytes of the record, including those that were not kept.
  func digest(of kept: Span<UInt8>, _ hash: inout SHA256) throws(LibcryptoFailure) -> SHA256Digest {
    if case .tooLarge(_, let digest) = defect { return digest }
    return try hash.digest(of: kept)
  }
}

extension Span<UInt8> {
  /// Indicates that there is a NUL among the bytes.
  fileprivate var containsNUL: Bool {
    unsafe withUnsafeBytes { bytes in
      unsafe bytes.baseAddress.map { unsafe memchr($0, 0, bytes.count) != nil } ?? false
    }
  }

  /// Indicates that the bytes are valid UTF-8 (RFC 3629).
  fileprivate var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }
}
