internal import Signatures

/// Tests variants against one signature until one fits or the budget is used up.
final class VariantSearch {
  /// The early end of a search.
  enum End: Error {
    case found
    case budget
    case libcrypto(LibcryptoFailure)
  }

  /// The number of variants that were tried.
  private(set) var tried = 0

  private let content: any SignedContent
  private let curve: Curve
  private let budget: Int
  private let search: SignatureSearch
  private var hash: SHA256
  /// The digests of the variants so far. A variant that is made twice is tried once.
  private var seen = Set<SHA256Digest>()
  private var waiting: [Variant] = []
  private var digests: [UInt8] = []
  private var message: [UInt8] = []

  private static let batchSize = 64

  init(
    _ content: any SignedContent,
    _ search: SignatureSearch,
    on curve: Curve,
    budget: Int
  ) throws(LibcryptoFailure) {
    hash = try SHA256()
    self.search = search
    self.content = content
    self.curve = curve
    self.budget = budget
  }

  /// Tries variants until `confirm` confirms one that fits. Returns false if the budget ended first.
  func run(
    _ variants: Variants,
    _ confirm: (Variant) throws(LibcryptoFailure) -> Bool
  ) throws(LibcryptoFailure) -> Bool {
    do throws(End) {
      try variants.forEach { variant throws(End) in
        try self.add(variant)
        if self.waiting.count == Self.batchSize { try self.tryWaiting(confirm) }
      }
      try tryWaiting(confirm)
      return true
    } catch {
      switch error {
      case .found: return true
      case .budget: return false
      case .libcrypto(let failure): throw failure
      }
    }
  }

  private func add(_ variant: Variant) throws(End) {
    message.removeAll(keepingCapacity: true)
    guard content.append(variant, on: curve, to: &message) else { return }
    let message = message
    let digest: SHA256Digest
    do { digest = try hash.digest(of: message.span) } catch { throw .libcrypto(error) }
    guard seen.insert(digest).inserted else { return }
    waiting.append(variant)
    let bytes = digest.bytes
    for index in bytes.indices { digests.append(bytes[index]) }
  }

  private func tryWaiting(_ confirm: (Variant) throws(LibcryptoFailure) -> Bool) throws(End) {
    let count = min(waiting.count, budget - tried)
    var start = 0
    while let found = try next(from: start, below: count) {
      let isConfirmed: Bool
      do { isConfirmed = try confirm(waiting[found]) } catch { throw .libcrypto(error) }
      if isConfirmed {
        tried += found + 1
        throw .found
      }
      start = found + 1
    }
    tried += count
    if count < waiting.count { throw .budget }
    waiting.removeAll(keepingCapacity: true)
    digests.removeAll(keepingCapacity: true)
  }

  /// Returns the index of the next waiting variant that fits; nil if none does.
  private func next(from start: Int, below end: Int) throws(End) -> Int? {
    guard start < end else { return nil }
    let digests = digests
    do {
      return try search.first(in: digests.span.extracting(32 * start..<32 * end)).map { start + $0 }
    } catch {
      throw .libcrypto(error)
    }
  }
}
