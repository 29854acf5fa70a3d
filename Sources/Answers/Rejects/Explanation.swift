package import PostbackVerification
package import Tampering
internal import Base
package import ConversionModel
internal import JSON
package import PostbackPipeline
internal import SKAdNetwork
internal import Signatures
internal import Tables

/// Everything about one postback, in sections of named facts.
package struct Explanation {
  /// Named facts that belong together.
  struct Section {
    let title: String
    var facts: [(name: String, value: String)] = []
    /// The section as JSON; nil if the facts are the whole section.
    var json: JSONValue?

    mutating func add(_ name: String, _ value: (some CustomStringConvertible)?) {
      if let value { facts.append((name, value.description)) }
    }

    /// Adds a fact that is a column of a table, with the column's name.
    mutating func add(_ column: ColumnName, _ value: (some CustomStringConvertible)?) {
      add(column.rawValue, value)
    }
  }

  var sections: [Section] = []

  /// A function that returns the values of accepted postbacks for a diagnosis. It is called only if a postback is
  /// diagnosed.
  package typealias Known = () async throws(PipelineFailure) -> DiagnosisContext

  /// Explains the one record of a batch. Without `known`, a reject is not diagnosed.
  package init(
    of batch: RawBatch,
    trust: TrustPolicy,
    models: Models,
    receivedAt: ReceivedAtRule,
    known: Known?
  ) async throws(PipelineFailure) {
    guard let input = batch.origins.first?.input else { return }
    let parsed = batch.parsed(receivedAt: receivedAt)
    for outcome in parsed.outcomes {
      switch outcome {
      case .rejected(let rejection):
        addSource(input, rejection.record)
        addRejection(rejection)
        try await addDiagnosis(of: rejection, parsed.bytes, trust, known)
      case .accepted(let postback):
        addSource(input, postback.record)
        try await add(postback, of: parsed, trust, models, known)
      }
    }
  }

  private mutating func addSource(_ input: InputFile, _ record: Record) {
    var section = Section(title: "source")
    section.add("file", input.path)
    section.add("line", record.line)
    section.add("bytes", Int(record.bytes.count))
    sections.append(section)
  }

  private mutating func add(
    _ parsed: Parsed,
    of batch: Batch<Parsed>,
    _ trust: TrustPolicy,
    _ models: Models,
    _ known: Known?
  ) async throws(PipelineFailure) {
    let bytes = batch.bytes
    let verification: SignatureVerification
    let outcome: Outcome<AcceptedSignature>
    do {
      var verifier = try SignatureVerifier(trust)
      verification = try verifier.verify(parsed.postback, of: bytes)
      outcome = try SignatureGate(trust).outcome(of: parsed, verification, bytes)
    } catch {
      throw .libcrypto(error)
    }
    var verified = parsed
    var isAccepted = false
    if case .accepted(let signature) = outcome {
      isAccepted = true
      verified = verified.restoringSigned(signature.layout)
    }
    addFields(verified, bytes)
    let environment = verification.signer.map {
      trust.environment(of: parsed.postback, signedBy: $0, verification.layout, in: bytes)
    }
    addSignature(parsed.postback, verification, environment, bytes, trust)
    addConversion(parsed, environment, bytes, models, isValued: isAccepted)
    switch outcome {
    case .rejected(let rejection):
      addRejection(rejection)
      try await addDiagnosis(of: rejection, bytes, trust, known)
    case .accepted(let signature): addAcceptance(verified.postback, signature.layout)
    }
  }

  private mutating func addFields(_ parsed: Parsed, _ bytes: [UInt8]) {
    let postback = parsed.postback
    func text(_ range: ByteRange?) -> String? { range.map { bytes.text($0) } }
    var section = Section(title: "postback")
    section.add(.framework, postback.framework.rawValue)
    section.add(.version, postback.version?.rawValue)
    section.add(.adNetworkID, text(postback.adNetworkID))
    section.add(.transactionID, text(postback.transactionID))
    section.add(.appID, postback.appID)
    section.add(.campaignID, postback.campaignID)
    section.add(.sourceIdentifier, postback.sourceIdentifier)
    section.add(.sourceAppID, postback.sourceAppID)
    section.add(.sourceDomain, text(postback.sourceDomain))
    section.add(.redownload, postback.redownload)
    section.add(.conversionType, text(postback.conversionType))
    section.add(.fidelityType, postback.fidelityType)
    section.add(.adInteractionType, postback.adInteractionType?.rawValue)
    section.add(.didWin, postback.didWin)
    section.add(.postbackSequenceIndex, postback.postbackSequenceIndex)
    section.add(.conversionValue, postback.conversionValue)
    section.add(.coarseConversionValue, postback.coarseConversionValue?.rawValue)
    section.add(.countryCode, postback.countryCode)
    section.add(.marketplaceIdentifier, text(postback.marketplaceIdentifier))
    section.add(.impressionType, text(postback.impressionType))
    let coerced = Field.allCases.filter(postback.coercedFields.contains).map(\.name)
    section.add(.coercedFields, coerced.isEmpty ? nil : coerced.joined(separator: ", "))
    section.add(.extras, text(postback.extras))
    section.add(.channel, parsed.arrival.channel?.rawValue)
    section.add(.forwarder, text(parsed.arrival.forwarder))
    section.add(.receivedAt, parsed.arrival.receivedAt)
    section.add(.receivedAtSource, parsed.arrival.source?.rawValue)
    sections.append(section)
  }

  private mutating func addSignature(
    _ postback: Postback,
    _ verification: SignatureVerification,
    _ environment: Environment?,
    _ bytes: [UInt8],
    _ trust: TrustPolicy
  ) {
    var section = Section(title: "signature")
    section.add(.signatureState, verification.state.rawValue)
    section.add("layout", verification.layout.name)
    let fields = postback.signedFields(verification.layout).map(\.name)
    section.add("signed_fields", fields.isEmpty ? "all of the JWS" : fields.joined(separator: ", "))
    var message: [UInt8] = []
    postback.appendSignedMessage(verification.layout, of: bytes, to: &message)
    section.add("signed_text", String(decoding: message, as: UTF8.self).replacing("\u{2063}", with: " ⁞ "))
    section.add("signed_base64", String(decoding: Base64.standard.encode(message), as: UTF8.self))
    let digest = verification.digest.bytes
    section.add("signed_sha256", String(hexadecimal: digest.span))
    switch postback.signature {
    case .attribution(let text): section.add("signature", bytes.text(text))
    case .jws(let jws):
      for (name, part) in zip(["signed_header", "signed_payload"], bytes.text(jws.signingInput).split(separator: ".")) {
        var decoded: [UInt8] = []
        if Base64.url.decode(part.utf8.span, appendingTo: &decoded) {
          section.add(name, String(decoding: decoded, as: UTF8.self))
        }
      }
      section.add("signature", bytes.text(jws.signature))
      section.add("kid", bytes.text(jws.keyID))
    }
    if let key = verification.key.map({ trust.keys[$0] }) {
      section.add(.keyID, key.id)
      section.add("key", "\(key.key.curve.name), \(key.environment.rawValue)")
    } else if let version = postback.version {
      section.add("keys_tried", trust.keys(for: version).map { trust.keys[$0].id }.joined(separator: ", "))
    }
    section.add(.environment, environment?.rawValue)
    sections.append(section)
  }

  private mutating func addConversion(
    _ parsed: Parsed,
    _ environment: Environment?,
    _ bytes: [UInt8],
    _ models: Models,
    isValued: Bool
  ) {
    let decoding = models.decode(parsed.conversion(in: bytes, environment))
    var section = Section(title: "conversion")
    section.add(
      "valued",
      isValued ? "yes" : "no, because the postback is rejected; if it were genuine, it would mean this"
    )
    section.add(.decodeStatus, decoding.status.rawValue)
    section.add(.modelID, decoding.ambiguousModels ?? decoding.model?.modelID)
    section.add(.modelVersion, decoding.model?.version)
    section.add(.installDateEarliest, decoding.interval.earliest)
    section.add(.installDateLatest, decoding.interval.latest)
    for event in decoding.events {
      let most = event.maximumCount.map { "\($0)" } ?? "more"
      section.add(
        "event",
        "\(event.name), \(event.minimumCount) to \(most) times\(event.revenue.map { ", \($0.text)" } ?? "")"
      )
    }
    section.add(.skanRevenue, decoding.revenue.map { "\($0.text) \(decoding.currency ?? "")" })
    section.add(.cumulative, decoding.isCumulative)
    sections.append(section)
  }

  private mutating func addAcceptance(_ postback: Postback, _ layout: SignedLayout) {
    var section = Section(title: "outcome")
    section.add("accepted", "yes, unless it is a duplicate")
    let flags = postback.tierFlags(signedAs: layout)
    let names = TierFlags.names.filter { flags.contains($0.flag) }.map(\.name)
    section.add(.tierFlags, names.isEmpty ? nil : names.joined(separator: ", "))
    sections.append(section)
  }

  private mutating func addRejection(_ rejection: Rejection) {
    var section = Section(title: "outcome")
    section.add("accepted", "no")
    section.add(.stage, rejection.code.stage.rawValue)
    section.add(.rejectCode, rejection.code.rawValue)
    section.add(.rejectDetail, rejection.explanation)
    section.add(.field, rejection.field)
    section.add(.expected, rejection.expected)
    section.add(.found, rejection.found)
    sections.append(section)
  }
}

extension Revenue {
  fileprivate var text: String {
    guard let maximum else { return "\(estimate) (from \(minimum))" }
    return minimum == maximum ? "\(estimate)" : "\(estimate) (from \(minimum) to below \(maximum))"
  }
}

extension [UInt8] {
  /// The text in a range of the bytes.
  fileprivate func text(_ range: ByteRange) -> String { String(decoding: self[range.indices], as: UTF8.self) }
}

extension Explanation {
  /// Adds the diagnosis of a rejected postback, if its reject code allows one.
  mutating func addDiagnosis(
    of rejection: Rejection,
    _ bytes: [UInt8],
    _ trust: TrustPolicy,
    _ known: Known?
  ) async throws(PipelineFailure) {
    guard rejection.code.isDiagnosable, let known else { return }
    let context = try await known()
    let diagnosis: Diagnosis
    do throws(LibcryptoFailure) {
      diagnosis = try Diagnoser(trust, context: context).diagnose(Array(bytes[rejection.record.bytes.indices]))
    } catch {
      throw .libcrypto(error)
    }
    sections.append(Section(diagnosis))
  }
}

extension Explanation.Section {
  /// Creates the section of a diagnosis: the finding, each edit in words, and the postback as it was signed.
  fileprivate init(_ diagnosis: Diagnosis) {
    self.init(title: "diagnosis")
    add("finding", diagnosis.code)
    switch diagnosis.finding {
    case .recovered(let recovery), .reencoded(let recovery):
      for sentence in recovery.sentences { add("what", sentence) }
    case .unaltered, .stolenSignature, .noVariantFound: add("what", diagnosis.summary)
    }
    for edit in diagnosis.recovery?.edits ?? [] {
      add(edit.field.name, "\(edit.original ?? "absent") as signed, \(edit.arrived ?? "absent") as it arrived")
    }
    add("signed_postback", diagnosis.recovery?.postback)
    add(.keyID, diagnosis.recovery?.keyID)
    add("tried", "\(diagnosis.tried) \(diagnosis.tried == 1 ? "variant" : "variants")")
    json = diagnosis.json
  }
}
