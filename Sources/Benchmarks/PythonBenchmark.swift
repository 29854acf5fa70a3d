internal import Base
internal import DurableFiles
internal import Signatures

/// The rate at which Python's package `cryptography` verifies the same signatures, also from digests.
enum PythonBenchmark {
  private static let program = """
    import base64, sys, time, cryptography
    from cryptography.hazmat.backends.openssl import backend
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    key = serialization.load_der_public_key(base64.b64decode(sys.argv[1]))
    with open(sys.argv[2]) as lines:
        pairs = [tuple(bytes.fromhex(word) for word in line.split()) for line in lines]
    algorithm = ec.ECDSA(utils.Prehashed(hashes.SHA256()))
    start = time.perf_counter()
    for digest, signature in pairs:
        key.verify(signature, digest, algorithm)
    rate = len(pairs) / (time.perf_counter() - start)
    print(rate, "cryptography", cryptography.__version__, "with", backend.openssl_version_text(), sep=" ")
    """

  /// Measures the rate; nil if Python or the package is not installed.
  static func measure(_ parts: SignedParts, key: String, in folder: String) throws -> Measure? {
    guard (try? ProcessRun(["python3", "-c", "import cryptography"])) != nil else { return nil }
    let path = "\(folder)/signatures"
    try write(parts, min(parts.count, 20_000), to: path)
    let words = try ProcessRun(["python3", "-c", program, key, path]).output.split(whereSeparator: \.isWhitespace)
    guard let rate = words.first.flatMap({ Double($0) }) else {
      throw BenchmarkFailure("Python printed no rate: \(words.joined(separator: " "))")
    }
    let note = words.dropFirst().joined(separator: " ")
    return Measure("verify.python", "Python, key.verify, one thread", rate, .perSecond, to: .oneCore, note: note)
  }

  private static func write(_ parts: SignedParts, _ count: Int, to path: String) throws {
    var text: [UInt8] = []
    for index in 0..<count {
      let digest = parts.digest(index).bytes
      text.appendHexadecimal(digest.span)
      text.append(UInt8(ascii: " "))
      text.appendHexadecimal(parts.signatures.bytes.span.extracting(parts.signatures.range(index)))
      text.append(UInt8(ascii: "\n"))
    }
    try WholeFile.write(text, to: path)
  }
}
