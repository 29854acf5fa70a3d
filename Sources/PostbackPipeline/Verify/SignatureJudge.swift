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
///
/// Judges many at once, which is several times as fast as one by one, with the same verdicts. Belongs to one task.
package struct SignatureJudge: ~Copyable {
  private let trust: Trust
  private let known: VerdictCache
  private var hash: SHA256
  private var verifier: BatchVerifier
  private var message: [UInt8] = []
  /// The keys that may have signed a version of SKAdNetwork, Apple's first, but before it the one that did lately: a
  /// signature that one key made, no other verifies.
  private var p192Keys: [Int]
  private var p256Keys: [Int]

  /// A postback whose verdict is not known yet.
  private struct Case {
    /// Where its judgement goes.
    let index: Int
    /// Where its signature is in the decoded signatures.
    let signature: Range<Int>
    let form: SignatureForm
    /// The key that it names; nil where any of its version's may have signed it.
    let namedKey: Int?
    /// What it is known by, under the layout that is tried.
    var name = VerdictCache.Key()
  }

  /// So many are tried before the others, to learn which key signs.
  private static let sampleCount = 8

  /// A judge that believes whom `trust` says, and what is `known` to be valid.
  package init(_ trust: Trust, known: VerdictCache = VerdictCache()) throws(LibcryptoFailure) {
    let hash = try SHA256()
    let verifier = try BatchVerifier(trust.keys.map(\.key))
    self.hash = hash
    self.verifier = verifier
    self.trust = trust
    self.known = known
    p192Keys = trust.keys(for: .v2_0)
    p256Keys = trust.keys(for: .v4_0)
  }

  /// The verdict on one postback.
  package mutating func judge(_ postback: Postback, of bytes: [UInt8]) throws(LibcryptoFailure) -> Judgement {
    try judge([postback], of: bytes)[0]
  }

  /// The verdicts on postbacks of one buffer, in their order.
  ///
  /// Tries every key that may have signed a postback, under every layout that may have been signed: first with tables,
  /// which can only show that a signature is valid. Where they do not, libcrypto's ECDSA has the last word.
  package mutating func judge(_ postbacks: [Postback], of bytes: [UInt8]) throws(LibcryptoFailure) -> [Judgement] {
    var judgements: [Judgement] = []
    judgements.reserveCapacity(postbacks.count)
    var signatures: [UInt8] = []
    var cases: [Case] = []
    cases.reserveCapacity(postbacks.count)
    for (index, postback) in postbacks.enumerated() {
      judgements.append(
        Judgement(state: .invalid, key: nil, layout: .asSent, digest: try digest(postback, .asSent, bytes))
      )
      if let undecided = open(postback, index, &judgements[index], bytes, &signatures) { cases.append(undecided) }
    }
    for layout in SignedLayout.allCases {
      let concerned = cases.filter { postbacks[$0.index].layouts.contains(layout) }
      try prove(concerned, layout, postbacks, bytes, signatures, &judgements)
      cases.removeAll { judgements[$0.index].state != .invalid }
    }
    for undecided in cases {
      try decide(undecided, postbacks[undecided.index], bytes, signatures, &judgements[undecided.index])
    }
    return judgements
  }

  /// Decodes the signature and finds the keys; nil, with the judgement made, where there is none.
  private func open(
    _ postback: Postback,
    _ index: Int,
    _ judgement: inout Judgement,
    _ bytes: [UInt8],
    _ signatures: inout [UInt8]
  ) -> Case? {
    let start = signatures.count
    let isDecoded: Bool
    let form: SignatureForm
    switch postback.signature {
    case .attribution(let text):
      form = .der
      isDecoded = Base64.standard.decode(bytes.span.extracting(text.indices), appendingTo: &signatures)
    case .jws(let jws):
      form = .raw
      isDecoded = Base64.url.decode(bytes.span.extracting(jws.signature.indices), appendingTo: &signatures)
      judgement.key = trust.key(named: bytes[jws.keyID.indices])
      if judgement.key == nil {
        judgement.state = .unknownKey
        return nil
      }
    }
    guard isDecoded else {
      judgement.state = .malformed
      return nil
    }
    return Case(index: index, signature: start..<signatures.count, form: form, namedKey: judgement.key)
  }

  /// The keys that may have signed, one a round; nil when there are no more.
  private func candidate(_ undecided: Case, _ postback: Postback, round: Int) -> Int? {
    if let namedKey = undecided.namedKey { return round == 0 ? namedKey : nil }
    guard let version = postback.version else { return nil }
    let keys = version.isSignedWithP192 ? p192Keys : p256Keys
    return round < keys.count ? keys[round] : nil
  }

  /// Looks for proofs that one of the keys signed what the layout says.
  private mutating func prove(
    _ cases: [Case],
    _ layout: SignedLayout,
    _ postbacks: [Postback],
    _ bytes: [UInt8],
    _ signatures: [UInt8],
    _ judgements: inout [Judgement]
  ) throws(LibcryptoFailure) {
    var undecided: [Case] = []
    undecided.reserveCapacity(cases.count)
    for var item in cases {
      if layout != .asSent {
        judgements[item.index].layout = layout
        judgements[item.index].digest = try digest(postbacks[item.index], layout, bytes)
      }
      item.name = VerdictCache.Key(judgements[item.index].digest, signatures.span.extracting(item.signature))
      if let key = knownKey(item, postbacks[item.index]) {
        accept(key, layout, &judgements[item.index])
      } else {
        undecided.append(item)
      }
    }
    let sample = undecided.prefix(Self.sampleCount)
    for part in [sample, undecided.dropFirst(sample.count)] {
      var rest = Array(part)
      var round = 0
      while !rest.isEmpty {
        rest = try proveRound(round, rest, layout, postbacks, signatures, &judgements)
        round += 1
      }
      for item in part {
        guard let version = postbacks[item.index].version, let key = judgements[item.index].key else { continue }
        if judgements[item.index].state != .invalid { prefer(key, for: version) }
      }
    }
  }

  /// Tries one key for each case; those that are not decided, and have another.
  private mutating func proveRound(
    _ round: Int,
    _ cases: [Case],
    _ layout: SignedLayout,
    _ postbacks: [Postback],
    _ signatures: [UInt8],
    _ judgements: inout [Judgement]
  ) throws(LibcryptoFailure) -> [Case] {
    var tried: [(item: Case, key: Int)] = []
    tried.reserveCapacity(cases.count)
    for item in cases {
      guard let key = candidate(item, postbacks[item.index], round: round) else { continue }
      let signature = signatures.span.extracting(item.signature)
      verifier.add(signature, as: item.form, of: judgements[item.index].digest, by: key)
      tried.append((item, key))
    }
    let verdicts = try verifier.prove()
    var rest: [Case] = []
    for (index, (item, key)) in tried.enumerated() {
      switch verdicts[index] {
      case .valid:
        accept(key, layout, &judgements[item.index])
        known.insert(item.name, key)
      case .malformed: judgements[item.index].state = .malformed
      case .invalid, nil: rest.append(item)
      }
    }
    return rest
  }

  /// Asks libcrypto about what no tables showed to be valid.
  private mutating func decide(
    _ undecided: Case,
    _ postback: Postback,
    _ bytes: [UInt8],
    _ signatures: [UInt8],
    _ judgement: inout Judgement
  ) throws(LibcryptoFailure) {
    let signature = signatures.span.extracting(undecided.signature)
    for layout in postback.layouts {
      let digest = layout == judgement.layout ? judgement.digest : try digest(postback, layout, bytes)
      var round = 0
      while let key = candidate(undecided, postback, round: round) {
        if try trust.keys[key].key.verify(signature, as: undecided.form, of: digest) == .valid {
          judgement.digest = digest
          return accept(key, layout, &judgement)
        }
        round += 1
      }
    }
  }

  private func accept(_ key: Int, _ layout: SignedLayout, _ judgement: inout Judgement) {
    judgement.key = key
    judgement.layout = layout
    judgement.state =
      if trust.keys[key].environment == .development {
        .development
      } else {
        switch layout {
        case .asSent: .valid
        case .withoutZeroFilled: .validZeroFilled
        }
      }
  }

  private mutating func prefer(_ key: Int, for version: Version) {
    if version.isSignedWithP192 {
      if p192Keys.first != key { p192Keys = [key] + p192Keys.filter { $0 != key } }
    } else if p256Keys.first != key {
      p256Keys = [key] + p256Keys.filter { $0 != key }
    }
  }

  /// The key that is known to have made the same signature of the same content.
  private func knownKey(_ item: Case, _ postback: Postback) -> Int? {
    guard let key = known.trustedKey(of: item.name) else { return nil }
    var round = 0
    while let candidate = candidate(item, postback, round: round) {
      if candidate == key { return key }
      round += 1
    }
    return nil
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
