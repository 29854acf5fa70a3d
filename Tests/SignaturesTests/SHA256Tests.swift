import Signatures
import Testing

struct SHA256Tests {
  static let vectors: [(message: String, digest: String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ]

  @Test(arguments: vectors)
  func `the digest is that of FIPS 180-4's examples`(_ vector: (message: String, digest: String)) throws {
    #expect(try digest(of: vector.message).array == hex(vector.digest))
  }

  @Test(arguments: [1, 3, 63, 64, 65, 1000])
  func `the digest does not depend on the pieces of a message`(_ size: Int) throws {
    let message = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    var hash = try SHA256()
    for start in stride(from: 0, to: message.count, by: size) {
      let piece = Array(message[start..<min(start + size, message.count)])
      try hash.update(piece.span)
    }
    let pieced = try hash.finish()
    #expect(try pieced == digest(of: message))
  }

  @Test func `the digest so far is that of the bytes until then, and does not change that of all`() throws {
    var hash = try SHA256()
    var digests = [try hash.digestSoFar()]
    for text in ["ab", "c"] {
      let bytes = Array(text.utf8)
      try hash.update(bytes.span)
      for _ in 0..<2 { digests.append(try hash.digestSoFar()) }
    }
    digests.append(try hash.finish())
    #expect(try digests == ["", "ab", "ab", "abc", "abc", "abc"].map { try digest(of: $0) })
  }

  @Test func `a context can hash many messages`() throws {
    var hash = try SHA256()
    let first = try hash.finish()
    let abc = Array("abc".utf8)
    let second = try hash.digest(of: abc.span)
    let third = try hash.finish()
    #expect(try second == digest(of: "abc"))
    #expect(first == third)
  }
}
