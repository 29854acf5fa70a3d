internal import Synchronization

/// The sender of a body, as far as the head of its request tells.
package enum BodySender: Sendable {
  /// Anybody, such as a device: its bodies are small.
  case anybody
  /// A forwarder whose signature only the whole body can confirm.
  case unconfirmed
  /// A forwarder that has shown who it is.
  case forwarder

  /// The part of the budget that all such senders have together, and the part of that which one address may have.
  fileprivate var divisors: (all: Int, address: Int) {
    switch self {
    case .anybody: (4, 16)
    case .unconfirmed: (4, 4)
    case .forwarder: (2, 2)
    }
  }
}

/// The room that one body has taken of a budget.
struct BodyRoom: Sendable {
  fileprivate let sender: BodySender
  fileprivate let address: IPAddress
  fileprivate let longestBody: Int
  /// The bytes that it has taken.
  fileprivate(set) var count = 0

  /// No room yet, for a body that comes from an address and may have `longestBody` bytes.
  init(_ sender: BodySender, _ address: IPAddress, longestBody: Int) {
    self.sender = sender
    self.address = address.customer
    self.longestBody = longestBody
  }
}

/// The memory that bodies on their way may take, shared out so that nobody can take all of it.
///
/// Devices have a part that is theirs alone: they never wait for what forwarders send. So have forwarders that are known,
/// beside those who may be anybody. Of each part one address may have a share. Every part and share is at least one longest
/// body.
final class BodyBudget: Sendable {
  private struct Use {
    var all: [BodySender: Int] = [:]
    var byAddress: [Owner: Int] = [:]
  }

  private struct Owner: Hashable {
    let sender: BodySender
    let address: IPAddress
  }

  private let bytes: Int
  private let use = Mutex(Use())

  /// A budget of so many bytes.
  init(_ bytes: Int) { self.bytes = bytes }

  /// Takes room for a piece of a body; false, and nothing is taken, where there is none.
  func take(_ count: Int, for room: inout BodyRoom) -> Bool {
    let (divisor, addressDivisor) = room.sender.divisors
    let limit = max(bytes / divisor, room.longestBody)
    let addressLimit = max(limit / addressDivisor, room.longestBody)
    let owner = Owner(sender: room.sender, address: room.address)
    let isTaken = use.withLock { use in
      let all = use.all[room.sender, default: 0] + count
      let ofAddress = use.byAddress[owner, default: 0] + count
      guard all <= limit, ofAddress <= addressLimit else { return false }
      use.all[room.sender] = all
      use.byAddress[owner] = ofAddress
      return true
    }
    if isTaken { room.count += count }
    return isTaken
  }

  /// Takes back all that a body has taken.
  func release(_ room: inout BodyRoom) {
    let count = room.count
    guard count > 0 else { return }
    room.count = 0
    let owner = Owner(sender: room.sender, address: room.address)
    use.withLock { use in
      use.all[owner.sender, default: 0] -= count
      let left = use.byAddress[owner, default: 0] - count
      use.byAddress[owner] = left > 0 ? left : nil
    }
  }
}
