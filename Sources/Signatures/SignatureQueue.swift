/// Signatures that one of the same keys may have made, on one curve, and that await their verdict.
struct SignatureQueue {
  /// The keys, as indices of the verifier's, the one first that signed last: a signature that one key made, no other
  /// verifies.
  private(set) var keys: [Int]
  /// Where the findings go, for each signature.
  private(set) var places: [Int] = []
  /// r and s in the field size each.
  private(set) var signatures: [UInt8] = []
  /// 32 bytes each.
  private(set) var digests: [UInt8] = []
  /// Those of signature i begin at `digestStarts[i]`, and end where the next one's begin.
  private(set) var digestStarts: [UInt32] = [0]

  init(_ keys: [Int]) { self.keys = keys }

  /// How many signatures there are.
  var count: Int { places.count }

  /// Adds r, then s; the verdict, where the form alone tells it, and then nothing is added.
  mutating func append(
    _ signature: Span<UInt8>,
    as form: SignatureForm,
    on curve: Curve,
    place: Int
  ) -> SignatureVerdict? {
    if let verdict = form.appendRaw(signature, on: curve, to: &signatures) { return verdict }
    places.append(place)
    digestStarts.append(digestStarts[count - 1])
    return nil
  }

  /// Adds a digest that the last signature may be of.
  mutating func append(_ digest: SHA256Digest) {
    let digest = digest.bytes
    for position in digest.indices { digests.append(digest[position]) }
    digestStarts[count] += 1
  }

  /// Whether there are as many bytes as the counts say.
  func isComplete(on curve: Curve) -> Bool {
    signatures.count == 2 * curve.fieldByteCount * count && digestStarts.count == count + 1
      && digests.count == 32 * Int(digestStarts[count])
  }

  /// How many digests the signature may be of.
  func digestCount(_ index: UInt32) -> Int {
    Int(digestStarts[Int(index) + 1] - digestStarts[Int(index)])
  }

  /// Where r and s of a signature are in `signatures`.
  func signatureRange(_ index: UInt32, on curve: Curve) -> Range<Int> {
    let size = 2 * curve.fieldByteCount
    return Int(index) * size..<(Int(index) + 1) * size
  }

  /// Where one of the signature's digests is in `digests`.
  func digestRange(_ digest: Int, of index: UInt32) -> Range<Int> {
    let start = 32 * (Int(digestStarts[Int(index)]) + digest)
    return start..<start + 32
  }

  /// Puts the key that signed to the front.
  mutating func prefer(_ key: Int) {
    guard keys.first != key, let position = keys.firstIndex(of: key) else { return }
    keys.remove(at: position)
    keys.insert(key, at: 0)
  }

  /// Forgets the signatures, not the keys.
  mutating func removeAll() {
    places.removeAll(keepingCapacity: true)
    signatures.removeAll(keepingCapacity: true)
    digests.removeAll(keepingCapacity: true)
    digestStarts.removeAll(keepingCapacity: true)
    digestStarts.append(0)
  }
}
