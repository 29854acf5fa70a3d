internal import Base
package import PostbackVerification
internal import JSON
internal import SKAdNetwork
package import Signatures

/// Finds out from the signatures of rejected postbacks how they were changed.
///
/// Any number of tasks may use one diagnoser at once.
package final class Diagnoser: Sendable {
  private let trust: TrustPolicy
  private let budget: Int
  private let known: [Field: [String]]
  private let p192: Generator
  private let p256: Generator
  /// The genuine postbacks of the context, by the mark of their signatures.
  private let genuine: [SignatureMark: GenuinePostback]
  private let owners: [SignatureR: SignatureOwner]

  /// The standard number of variants that are tried for one postback. It is reduced on P-192, for a JWS and for long
  /// postbacks, so that they do not take longer.
  package static let standardBudget = 60_000

  /// Makes a diagnoser with the keys of `trust`, including Apple's development keys, because a test is not a forgery.
  /// `budget` is the number of variants that it tries for one postback.
  package init(
    _ trust: TrustPolicy,
    context: DiagnosisContext = DiagnosisContext(),
    budget: Int = Diagnoser.standardBudget
  ) throws(LibcryptoFailure) {
    var trust = trust
    trust.allowsDevelopment = true
    self.trust = trust
    self.budget = budget
    known = context.ranked
    owners = context.owners
    let (p192, p256) = (try Generator(of: .p192), try Generator(of: .p256))
    var hash = try SHA256()
    var genuine: [SignatureMark: GenuinePostback] = [:]
    for postback in context.genuine {
      let generator = postback.curve == .p192 ? p192 : p256
      genuine[try generator.mark(of: try hash.digest(of: postback.message.span))] = postback
    }
    self.p192 = p192
    self.p256 = p256
    self.genuine = genuine
  }

  /// Returns the diagnoses of records, in their order. At most twice `jobs` records are in work at once; `progress`
  /// gets the number that is done. A task that is cancelled gets those until then.
  package func diagnose(
    _ records: [[UInt8]],
    jobs: Int,
    progress: (Int) -> Void = { _ in }
  ) async throws(LibcryptoFailure) -> [Diagnosis] {
    var diagnoses: [Diagnosis] = []
    diagnoses.reserveCapacity(records.count)
    for try await diagnosis in records.mapConcurrently(
      jobs,
      { record throws(LibcryptoFailure) in try self.diagnose(record) }
    ) {
      diagnoses.append(diagnosis)
      progress(diagnoses.count)
      if Task.isCancelled { break }
    }
    return diagnoses
  }

  /// Returns the diagnosis of a record: a postback, bare or in its envelope.
  package func diagnose(_ record: [UInt8]) throws(LibcryptoFailure) -> Diagnosis {
    guard let arrived = ArrivedPostback(record) else { return none(.unreadablePostback) }
    guard !arrived.signatures.isEmpty else { return none(.unreadableSignature) }
    let content: any SignedContent =
      if let jws = arrived.jws { JWSContent(arrived, jws, keyIDs: keyIDs) } else { SKAdNetworkContent(arrived) }
    let variants = Variants(of: content, known: known)
    var tried = 0
    var reason = Diagnosis.Reason.impossibleSignature
    for signature in arrived.signatures {
      let generator = signature.curve == .p192 ? p192 : p256
      let keys = keys(on: signature.curve)
      guard let search = try SignatureSearch(of: signature.raw.span, by: keys, with: generator) else { continue }
      let borrowed = try borrowed(search.marks, signature, content, tried: tried)
      if let owner = owner(of: signature, arrived) {
        return Diagnosis(finding: .stolenSignature(borrowed?.recovery, owner), tried: borrowed?.tried ?? tried)
      }
      if let borrowed { return borrowed }
      let budget = budget(of: content, on: signature.curve) - tried
      let run = try VariantSearch(content, search, on: signature.curve, budget: max(budget, 0))
      var recovery: Diagnosis.Recovery?
      let isComplete = try run.run(variants) { variant throws(LibcryptoFailure) in
        recovery = try self.recovery(variant, content, signature)
        return recovery != nil
      }
      tried += run.tried
      if let recovery { return Diagnosis(finding: Self.finding(recovery), tried: tried) }
      if !isComplete || reason != .budget { reason = isComplete ? .exhausted : .budget }
    }
    return Diagnosis(finding: .noVariantFound(reason), tried: tried)
  }

  /// Returns the budget of a postback. It is smaller if a variant costs more: a fifth on P-192, three quarters for a
  /// JWS, and less for messages above the ordinary length.
  private func budget(of content: any SignedContent, on curve: Curve) -> Int {
    var message: [UInt8] = []
    _ = content.append(Variant(form: 0), on: curve, to: &message)
    let length = max(message.count, Self.ordinaryLength)
    let (product, overflow) = budget.multipliedReportingOverflow(by: Self.ordinaryLength)
    let scaled = overflow ? budget : product / length
    if curve == .p192 { return scaled / 5 }
    return content.framework == .adAttributionKit ? scaled / 4 * 3 : scaled
  }

  /// The message length in bytes up to which the budget is not reduced. Apple's postbacks are not longer.
  private static let ordinaryLength = 1024

  private func none(_ reason: Diagnosis.Reason) -> Diagnosis { Diagnosis(finding: .noVariantFound(reason), tried: 0) }

  private static func finding(_ recovery: Diagnosis.Recovery) -> Diagnosis.Finding {
    if !recovery.edits.isEmpty { return .recovered(recovery) }
    return recovery.reencodings.isEmpty ? .unaltered(recovery) : .reencoded(recovery)
  }

  /// The names of the keys that AdAttributionKit postbacks may name: those on P-256.
  private var keyIDs: [String] { trust.keys.filter { $0.key.curve == .p256 }.map(\.id) }

  /// Returns the trusted keys on a curve, at most `mostKeys`.
  private func keys(on curve: Curve) -> [PublicKey] {
    trust.keys.filter { $0.key.curve == curve }.prefix(Self.mostKeys).map(\.key)
  }

  private static let mostKeys = 64

  /// Returns the recovered postback of a variant; nil if the pipeline's own verification finds no trusted key that
  /// signed it.
  private func recovery(
    _ variant: Variant,
    _ content: any SignedContent,
    _ signature: ArrivedSignature
  ) throws(LibcryptoFailure) -> Diagnosis.Recovery? {
    let postback = content.postback(variant, signature: signature.raw)
    guard let key = try signer(of: postback) else { return nil }
    let changes = content.implied(by: variant.form) + variant.changes
    let edits = changes.map {
      Diagnosis.Edit(field: $0.field, original: $0.value, arrived: content.values[$0.field])
    }
    let forms = content.forms[variant.form]
    return Diagnosis.Recovery(edits.filter { $0.original != $0.arrived }, signature, forms, of: postback, by: key)
  }

  /// Returns the trusted key that signed the postback with these bytes; nil if there is none, or if the pipeline's
  /// parser rejects the postback.
  private func signer(of postback: [UInt8]) throws(LibcryptoFailure) -> TrustedKey? {
    var parser = PostbackParser()
    var bytes = postback + [UInt8](repeating: 0, count: JSONParser.padding)
    guard let parsed = try? parser.parse(0..<postback.count, of: &bytes) else { return nil }
    var verifier = try SignatureVerifier(trust)
    return try verifier.verify(parsed, of: bytes).signer.map { trust.keys[$0] }
  }

  /// Returns the postback of another transaction to which the signature belongs; nil if there is none.
  private func owner(of signature: ArrivedSignature, _ arrived: ArrivedPostback) -> SignatureOwner? {
    guard let r = SignatureR(signature.raw.span, as: .raw), let owner = owners[r],
      let id = arrived.values[arrived.framework == .skAdNetwork ? .transactionID : .postbackIdentifier]
    else { return nil }
    return owner.hasTransaction(id) ? nil : owner
  }

  /// Returns the diagnosis of a signature that belongs to a genuine postback of the context, found by one of the marks;
  /// nil if there is no such postback.
  private func borrowed(
    _ marks: [SignatureMark],
    _ signature: ArrivedSignature,
    _ content: any SignedContent,
    tried: Int
  ) throws(LibcryptoFailure) -> Diagnosis? {
    for mark in marks {
      guard let genuine = genuine[mark], genuine.framework == content.framework else { continue }
      // Whoever signed it was seen then: what is left is to say what differs.
      let signed = genuine.postback(signature: signature.raw)
      guard let key = try signer(of: signed) else { continue }
      let edits = genuine.framework.signedFields.compactMap { field -> Diagnosis.Edit? in
        let (original, arrived) = (genuine.values[field], content.values[field])
        return original == arrived || !genuine.signs(field)
          ? nil : .init(field: field, original: original, arrived: arrived)
      }
      let recovery = Diagnosis.Recovery(edits, signature, content.forms[0], of: signed, by: key)
      guard edits.count > Self.mostEdits, let id = genuine.transactionID else {
        return edits.isEmpty ? nil : Diagnosis(finding: Self.finding(recovery), tried: tried + 1)
      }
      return Diagnosis(finding: .stolenSignature(recovery, SignatureOwner(transactionID: id)), tried: tried + 1)
    }
    return nil
  }

  /// The greatest number of edited fields that counts as an edit. With more, the signature was taken from another
  /// postback.
  private static let mostEdits = 3
}

extension Diagnosis.Recovery {
  fileprivate init(
    _ edits: [Diagnosis.Edit],
    _ signature: ArrivedSignature,
    _ forms: [Reencoding],
    of postback: [UInt8],
    by key: TrustedKey
  ) {
    self.init(
      edits: edits,
      reencodings: signature.reencodings.map { Reencoding($0) } + forms,
      postback: String(decoding: postback, as: UTF8.self),
      keyID: key.id,
      environment: key.environment
    )
  }
}
