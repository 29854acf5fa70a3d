internal import Synchronization

/// The kind of sender of a body, as far as the head of its request shows.
package enum BodySender: Sendable {
  /// Any sender, such as a device, whose bodies are small.
  case anybody
  /// A forwarder whose signature can be checked only with the whole body.
  case unconfirmed
  /// A forwarder that has proved its identity with a token.
  case forwarder

  /// The divisors of the budget: `all` gives the part for all senders of the kind together, `address` the share of that
  /// part for one address.
  fileprivate var divisors: (all: Int, address: Int) {
    switch self {
    case .anybody: (4, 16)
    case .unconfirmed: (4, 4)
    case .forwarder: (2, 2)
    }
  }
}

/// The share of a budget that one body holds.
struct BodyShare: Sendable {
  fileprivate let sender: BodySender
  fileprivate let address: IPAddress
  fileprivate let longestBody: Int
  /// The number of bytes that the body holds.
  fileprivate(set) var count = 0

  /// Creates an empty share for a body from an address, which may have up to `longestBody` bytes.
  init(_ sender: BodySender, _ address: IPAddress, longestBody: Int) {
    self.sender = sender
    self.address = address.rateLimitPrefix
    self.longestBody = longestBody
  }
}

/// The memory for bodies that are being received, divided so that no sender can use all of it.
///
/// Devices have a part of their own, so they never wait for bodies of forwarders. Known forwarders have another part,
/// separate from senders that only claim to be one. One address may use a share of its part. Every part and every share
/// has room for at least one longest body.
final class BodyBudget: Sendable {
  private struct Use {
    var all: [BodySender: Int] = [:]
    var byAddress: [Owner: Int] = [:]
  }

  private struct Owner: Hashable {
    let sender: BodySender
    let address: IPAddress
  }

  private let bytes: Atomic<Int>
  private let use = Mutex(Use())

  init(_ bytes: Int) { self.bytes = Atomic(bytes) }

  /// Changes the size of the budget. Bodies keep what they have.
  func use(bytes: Int) { self.bytes.store(bytes, ordering: .relaxed) }

  /// Takes room for a piece of a body. Returns false, and takes nothing, if there is not enough.
  func take(_ count: Int, for share: inout BodyShare) -> Bool {
    let (divisor, addressDivisor) = share.sender.divisors
    let limit = max(bytes.load(ordering: .relaxed) / divisor, share.longestBody)
    let addressLimit = max(limit / addressDivisor, share.longestBody)
    let owner = Owner(sender: share.sender, address: share.address)
    let isTaken = use.withLock { use in
      let all = use.all[share.sender, default: 0] + count
      let ofAddress = use.byAddress[owner, default: 0] + count
      guard all <= limit, ofAddress <= addressLimit else { return false }
      use.all[share.sender] = all
      use.byAddress[owner] = ofAddress
      return true
    }
    if isTaken { share.count += count }
    return isTaken
  }

  /// Returns the whole share of a body to the budget.
  func release(_ share: inout BodyShare) {
    let count = share.count
    guard count > 0 else { return }
    share.count = 0
    let owner = Owner(sender: share.sender, address: share.address)
    use.withLock { use in
      use.all[owner.sender, default: 0] -= count
      let left = use.byAddress[owner, default: 0] - count
      use.byAddress[owner] = left > 0 ? left : nil
    }
  }
}
