internal import Base
internal import JSON
internal import PostbackPipeline
internal import SKAdNetwork
internal import Signatures

/// The messages, digests and signatures of postbacks, from which they are verified, made in separate steps.
struct SignedParts {
  /// A list of texts in one array.
  struct Texts {
    private(set) var bytes: [UInt8] = []
    private(set) var bounds = [0]

    var count: Int { bounds.count - 1 }

    func range(_ index: Int) -> Range<Int> { bounds[index]..<bounds[index + 1] }

    mutating func add(_ append: (inout [UInt8]) -> Void) {
      append(&bytes)
      bounds.append(bytes.count)
    }

    mutating func removeAll() {
      bytes.removeAll(keepingCapacity: true)
      bounds.removeAll(keepingCapacity: true)
      bounds.append(0)
    }
  }

  /// The messages: for each postback the signed text, then the text of its key.
  private(set) var messages = Texts()
  /// SHA-256 of each of `messages`.
  private(set) var digests: [SHA256Digest] = []
  /// The signatures in DER.
  private(set) var signatures = Texts()

  /// The number of postbacks.
  var count: Int { signatures.count }

  /// Returns the digest that a postback's signature signs.
  func digest(_ index: Int) -> SHA256Digest { digests[2 * index] }

  /// Adds the messages of a batch.
  mutating func addMessages(of batch: Batch<Parsed>) {
    for case .accepted(let parsed) in batch.outcomes {
      messages.add { parsed.postback.appendSignedMessage(.asSent, of: batch.bytes, to: &$0) }
      messages.add { parsed.postback.appendIdentity(of: batch.bytes, to: &$0) }
    }
  }

  /// Adds the digests of the messages that have none yet.
  mutating func addDigests(_ hash: inout SHA256) throws {
    for index in digests.count..<messages.count {
      digests.append(try hash.digest(of: messages.bytes.span.extracting(messages.range(index))))
    }
  }

  /// Adds the signatures of a batch.
  mutating func addSignatures(of batch: Batch<Parsed>) throws {
    for case .accepted(let parsed) in batch.outcomes {
      guard case .attribution(let text) = parsed.postback.signature else {
        throw BenchmarkFailure("the dump has postbacks that are not SKAdNetwork's")
      }
      signatures.add { _ = Base64.standard.decode(batch.bytes.span.extracting(text.indices), appendingTo: &$0) }
    }
  }

  /// Removes all parts.
  mutating func removeAll() {
    messages.removeAll()
    digests.removeAll(keepingCapacity: true)
    signatures.removeAll()
  }

  /// Returns the parts of at least the first `limit` postbacks of a dump, up to the end of a batch.
  static func parts(of dump: Dump, limit: Int) async throws -> SignedParts {
    var parts = SignedParts()
    var hash = try SHA256()
    var batches = PostbackReader(inputs: try InputFile.enumerate([dump.path])).makeAsyncIterator()
    while parts.count < limit, let batch = try await batches.next() {
      let parsed = batch.parsed(receivedAt: ReceivedAtRule())
      parts.addMessages(of: parsed)
      try parts.addDigests(&hash)
      try parts.addSignatures(of: parsed)
    }
    return parts
  }
}
