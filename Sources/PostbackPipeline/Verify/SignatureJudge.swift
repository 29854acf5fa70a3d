internal import JSON
package import SKAdNetwork
package import Signatures

/// What the signature of a postback is worth.
package enum SignatureState: String, CaseIterable, Sendable {
  /// A trusted key signed the postback as it came.
  case valid
  /// A trusted key signed it without the zeros that a forwarder filled in for absent fields.
  case validZeroFilled = "valid_zero_filled"
  /// One of Apple's development keys signed it.
  case development
  /// No trusted key signed this.
  case invalid
  /// The postback names a key that is not trusted.
  case unknownKey = "unknown_key"
  /// What stands for the signature is none.
  case malformed
}

/// The verdict on one signature.
package struct Judgement: Sendable {
  /// What the signature is worth.
  package var state: SignatureState
  /// The key that signed, as an index of `Trust.keys`; of AdAttributionKit, where none did, the one that is named.
  package var key: Int?
  /// The fields that were found signed, or were last tried.
  package var layout: SignedLayout
  /// SHA-256 of the bytes that the layout signs.
  package var digest: SHA256Digest
}

/// Decides what signatures are worth. Nothing else in the project does.
package struct SignatureJudge: ~Copyable {
  private let trust: Trust
  private var hash: SHA256
  private var message: [UInt8] = []
  private var signature: [UInt8] = []
  private let skAdNetworkKeys: [Version: [Int]]

  /// A judge that believes whom `trust` says.
  package init(_ trust: Trust) throws(LibcryptoFailure) {
    self.trust = trust
    hash = try SHA256()
    skAdNetworkKeys = Dictionary(uniqueKeysWithValues: Version.allCases.map { ($0, trust.keys(for: $0)) })
  }

  /// Tries every key that may have signed the postback, under every layout that may have been signed.
  package mutating func judge(_ postback: Postback, of bytes: [UInt8]) throws(LibcryptoFailure) -> Judgement {
    signature.removeAll(keepingCapacity: true)
    let candidates: [Int]
    let form: SignatureForm
    let isDecoded: Bool
    switch postback.signature {
    case .attribution(let text):
      candidates = postback.version.flatMap { skAdNetworkKeys[$0] } ?? []
      form = .der
      isDecoded = Base64.standard.decode(bytes[text.indices], appendingTo: &signature)
    case .jws(let jws):
      candidates = trust.key(named: bytes[jws.keyID.indices]).map { [$0] } ?? []
      form = .raw
      isDecoded = Base64.url.decode(bytes[jws.signature.indices], appendingTo: &signature)
    }
    var judgement = Judgement(state: .invalid, key: nil, layout: .asSent, digest: try digest(postback, .asSent, bytes))
    guard !candidates.isEmpty else {
      judgement.state = .unknownKey
      return judgement
    }
    if form == .raw { judgement.key = candidates.first }
    guard isDecoded else {
      judgement.state = .malformed
      return judgement
    }
    for layout in postback.layouts {
      judgement.layout = layout
      if layout != .asSent { judgement.digest = try digest(postback, layout, bytes) }
      for key in candidates {
        switch try trust.keys[key].key.verify(signature.span, as: form, of: judgement.digest) {
        case .malformed:
          judgement.state = .malformed
          return judgement
        case .invalid: continue
        case .valid:
          judgement.key = key
          judgement.state = state(of: key, layout)
          return judgement
        }
      }
    }
    return judgement
  }

  private func state(of key: Int, _ layout: SignedLayout) -> SignatureState {
    if trust.keys[key].environment == .development { return .development }
    return switch layout {
    case .asSent: .valid
    case .withoutZeroFilled: .validZeroFilled
    }
  }

  private mutating func digest(
    _ postback: Postback,
    _ layout: SignedLayout,
    _ bytes: [UInt8]
  ) throws(LibcryptoFailure) -> SHA256Digest {
    try digest { message in postback.appendSignedMessage(layout, of: bytes, to: &message) }
  }

  /// What makes a postback one of its kind, in 128 bits.
  mutating func key(of postback: Postback, in bytes: [UInt8]) throws(LibcryptoFailure) -> PostbackKey {
    PostbackKey(try digest { message in postback.appendIdentity(of: bytes, to: &message) })
  }

  private mutating func digest(of write: (inout [UInt8]) -> Void) throws(LibcryptoFailure) -> SHA256Digest {
    var message: [UInt8] = []
    swap(&message, &self.message)
    defer { swap(&message, &self.message) }
    message.removeAll(keepingCapacity: true)
    write(&message)
    return try hash.digest(of: message.span)
  }
}
