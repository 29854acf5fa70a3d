internal import JSON
internal import Ledger
internal import PostbackVerification
internal import SKAdNetwork

/// The verdict that a line gives on its record, and which proves nothing: anybody can write a line.
struct ClaimedVerdict: Sendable {
  /// The name of the key that signed it, in the batch's bytes.
  let keyID: ByteRange
  /// The state of the signature.
  let state: SignatureState
  /// The fields that were signed.
  let layout: SignedLayout
  /// The key of the postback, and what deduplication compares.
  let seen: RecentIndex.Seen

  /// Tells if the verdict says of a verified postback what is true of it. `bytes` are those of the batch.
  func fits(_ verified: Verified, in bytes: [UInt8]) -> Bool {
    bytes[keyID.indices].elementsEqual(verified.keyID) && state == verified.signature.state
      && layout == verified.signature.layout && seen == verified.seen
  }
}

/// A verdict of another process, which is believed instead of verifying the signature again: the line that gives it was
/// authenticated with the secret of the job.
struct RestoredVerdict: Sendable {
  let verdict: ClaimedVerdict

  /// The verdict of a line that `verify` wrote.
  init(_ verdict: ClaimedVerdict, _ proof: LineProof) { self.verdict = verdict }
}
