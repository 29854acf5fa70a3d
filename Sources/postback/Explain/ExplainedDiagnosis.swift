internal import JSON
internal import PostbackPipeline
internal import SKAdNetwork
internal import Signatures

extension Explanation {
  /// Adds the diagnosis of a rejected postback, if its reject code allows one.
  mutating func addDiagnosis(
    of rejection: Rejection,
    _ bytes: [UInt8],
    _ trust: Trust,
    _ known: Known
  ) async throws(PipelineFailure) {
    guard rejection.code.isDiagnosable else { return }
    let context = try await known()
    let diagnosis: Diagnosis
    do throws(LibcryptoFailure) {
      diagnosis = try Diagnoser(trust, context: context).diagnose(Array(bytes[rejection.record.bytes.indices]))
    } catch {
      throw .libcrypto(error)
    }
    add(Section(diagnosis))
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
    case .unaltered, .signatureOfAnother, .noVariantFound: add("what", diagnosis.summary)
    }
    for edit in diagnosis.recovery?.edits ?? [] {
      add(edit.field.name, "\(edit.original ?? "absent") as signed, \(edit.arrived ?? "absent") as it arrived")
    }
    add("signed_postback", diagnosis.recovery?.postback)
    add("key_id", diagnosis.recovery?.keyID)
    add("tried", "\(diagnosis.tried) \(diagnosis.tried == 1 ? "variant" : "variants")")
    var json: [UInt8] = []
    diagnosis.append(to: &json)
    self.json = json
  }
}
