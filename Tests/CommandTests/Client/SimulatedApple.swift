import Base
import ConversionClient
import Foundation
import Synchronization
import TestSupport

/// A clock that a test sets.
final class VirtualClock: Clock {
  private let time: Mutex<Int>

  init(_ now: Int) { time = Mutex(now) }

  var now: Int {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  func sleep(seconds: Double) async throws { time.withLock { $0 += Int(seconds) } }
}

/// Apple's side of a device with one installed app: it keeps the values in its own windows, and sends the postbacks.
///
/// One call in ten fails, or fails although the values were accepted.
final class SimulatedApple: PostbackUpdating {
  /// A conversion window that has been updated.
  struct Window {
    var fine: Int?
    var coarse: CoarseConversionValue?
    /// The end of the window, after which its values do not change.
    var end: Int
    var isLocked = false
  }

  private struct State {
    var begins: [AdConversionType: Int] = [:]
    var windows: [AdConversionType: [Int: Window]] = [:]
    var random: SplitMix
  }

  let framework: AdFramework
  private let clock: VirtualClock
  private let state: Mutex<State>
  private static let ends = [172_800, 604_800, 3_024_000]

  init(_ framework: AdFramework, clock: VirtualClock, seed: UInt64) {
    self.framework = framework
    self.clock = clock
    state = Mutex(State(random: SplitMix(seed: seed)))
  }

  func update(_ values: PostbackValues) async throws {
    let now = clock.now
    try state.withLock { state in
      let dice = Int.random(in: 0..<20, using: &state.random)
      if dice == 0 { throw POSIXError(.EAGAIN) }
      let type = values.conversionType
      let begin = state.begins[type] ?? now
      state.begins[type] = begin
      let index = framework == .skAdNetwork3 ? 0 : Self.ends.firstIndex { now - begin < $0 }
      guard let index else { return }
      let old = state.windows[type]?[index]
      if let old, old.isLocked || framework == .skAdNetwork3 && (values.fineValue < old.fine ?? 0 || now > old.end) {
        return
      }
      let end = framework == .skAdNetwork3 ? now + 86_400 : values.locksWindow ? now : begin + Self.ends[index]
      state.windows[type, default: [:]][index] = Window(
        fine: index == 0 ? values.fineValue : nil,
        coarse: values.coarseValue,
        end: end,
        isLocked: values.locksWindow
      )
      if dice == 1 { throw POSIXError(.ETIMEDOUT) }
    }
  }

  /// The windows that were updated.
  func windows(of type: AdConversionType) -> [Int: Window] { state.withLock { $0.windows[type] ?? [:] } }
}

/// A postback as Apple's device sends it, signed with a key of the test, in the envelope of a receiver.
struct SentPostback {
  let transaction: String
  let app: Int64
  let window: Int
  let values: SimulatedApple.Window
  /// Indicates that the data tier shows the fine value.
  let showsFine: Bool
  let isRedownload: Bool

  func line(_ signer: Signer, _ form: Form) throws -> String {
    let value =
      showsFine && values.fine != nil
      ? ["conversion-value": "\(values.fine ?? 0)"]
      : ["coarse-conversion-value": values.coarse.map { "\"\($0)\"" } ?? "null"]
    let source = window == 0 ? "5239" : "39"
    let postback: Object
    switch form {
    case .skAdNetwork4:
      postback = try signer.sign(
        Object(
          """
          {"version":"4.0","ad-network-id":"example.skadnetwork","source-identifier":"\(source)","app-id":\(app),\
          "transaction-id":"\(transaction)","redownload":\(isRedownload),"fidelity-type":1,"did-win":true,\
          "postback-sequence-index":\(window)}
          """
        )
      ).with(value)
    case .skAdNetwork3:
      postback = try signer.sign(
        Object(
          """
          {"version":"3.0","ad-network-id":"example.skadnetwork","campaign-id":42,"app-id":\(app),\
          "transaction-id":"\(transaction)","redownload":\(isRedownload),"fidelity-type":1,"did-win":true}
          """
        )
      ).with(["conversion-value": "\(values.fine ?? 0)"])
    case .adAttributionKit(let type):
      let payload = """
        {"ad-network-identifier":"example.adattributionkit","postback-identifier":"\(transaction)",\
        "advertised-item-identifier":\(app),"did-win":true,"postback-sequence-index":\(window),\
        "conversion-type":"\(type == .install ? isRedownload ? "redownload" : "download" : "re-engagement")",\
        "impression-type":"app-impression","marketplace-identifier":"com.apple.AppStore",\
        "source-identifier":"\(source)"}
        """
      postback = try signer.sign(payload: payload, beside: value.merging(["ad-interaction-type": "\"click\""]) { $1 })
    }
    let received = Timestamp(milliseconds: Int64(values.end + 36 * 3600) * 1000)
    return #"{"received_at":"\#(received)","channel":"apple_direct","body":\#(postback.text)}"#
  }

  enum Form {
    case skAdNetwork3, skAdNetwork4
    case adAttributionKit(AdConversionType)
  }
}

/// The way to a real server, whose clock is not virtual: it moves the times in a request. One answer in ten is lost, and
/// one request in ten.
final class LossyTransport: Transport {
  private let clock: VirtualClock
  private let random: Mutex<SplitMix>
  private let real = URLSessionTransport(timeout: 30)

  init(clock: VirtualClock, seed: UInt64) {
    self.clock = clock
    random = Mutex(SplitMix(seed: seed))
  }

  func get(_ url: URL) async throws -> HTTPAnswer {
    let dice = random.withLock { Int.random(in: 0..<20, using: &$0) }
    if dice < 2 { throw URLError(.networkConnectionLost) }
    let offset = Int(Date().timeIntervalSince1970) - clock.now
    let text = url.absoluteString.replacing(/timestamp=(\d+)/) { "timestamp=\((Int($0.1) ?? 0) + offset)" }
    guard let moved = URL(string: text) else { throw URLError(.badURL) }
    let answer = try await real.get(moved)
    if dice < 4 { throw URLError(.timedOut) }
    return answer
  }
}
