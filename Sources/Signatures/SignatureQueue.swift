/// The signatures on one curve that have the same candidate keys and await their verdict.
struct SignatureQueue {
  /// The keys, as indices in the verifier. The key of the last valid signature is first: a signature that one key made
  /// is not valid for any other.
  private(set) var keys: [Int]
  /// The index of each signature's finding in the verifier.
  private(set) var places: [Int] = []
  /// r and s of each signature, each in the field size.
  private(set) var signatures: [UInt8] = []
  /// The digests, 32 bytes each.
  private(set) var digests: [UInt8] = []
  /// The start of each signature's digests: those of signature i are `digestStarts[i]..<digestStarts[i + 1]`.
  private(set) var digestStarts: [UInt32] = [0]

  init(_ keys: [Int]) { self.keys = keys }

  /// The number of signatures.
  var count: Int { places.count }

  /// Adds a signature and returns nil. Returns the verdict, with nothing added, if the form alone determines it.
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

  /// Adds a digest that the last signature may sign.
  mutating func append(_ digest: SHA256Digest) {
    let digest = digest.bytes
    unsafe digest.span.withUnsafeBufferPointer { unsafe digests.append(contentsOf: $0) }
    digestStarts[count] += 1
  }

  /// Tells if the arrays have the lengths that the counts require.
  func isComplete(on curve: Curve) -> Bool {
    signatures.count == 2 * curve.fieldByteCount * count && digestStarts.count == count + 1
      && digests.count == 32 * Int(digestStarts[count])
  }

  /// Returns the number of digests that the signature may sign.
  func digestCount(_ index: UInt32) -> Int {
    Int(digestStarts[Int(index) + 1] - digestStarts[Int(index)])
  }

  /// Returns the range of a signature's r and s in `signatures`.
  func signatureRange(_ index: UInt32, on curve: Curve) -> Range<Int> {
    let size = 2 * curve.fieldByteCount
    return Int(index) * size..<(Int(index) + 1) * size
  }

  /// Returns the range of one of the signature's digests in `digests`.
  func digestRange(_ digest: Int, of index: UInt32) -> Range<Int> {
    let start = 32 * (Int(digestStarts[Int(index)]) + digest)
    return start..<start + 32
  }

  /// Moves the key that signed to the front.
  mutating func prefer(_ key: Int) {
    guard keys.first != key, let position = keys.firstIndex(of: key) else { return }
    keys.remove(at: position)
    keys.insert(key, at: 0)
  }

  /// Removes all signatures and keeps the keys.
  mutating func removeAll() {
    places.removeAll(keepingCapacity: true)
    signatures.removeAll(keepingCapacity: true)
    digests.removeAll(keepingCapacity: true)
    digestStarts.removeAll(keepingCapacity: true)
    digestStarts.append(0)
  }
}
