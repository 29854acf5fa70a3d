public import Foundation

/// The conversion values of this app's user, told to Apple.
///
/// Register on the first launch, add revenue as it comes, and update on each open and each event:
///
/// ```swift
/// let client = try ConversionClient(values: ServerValues(of: server, for: app), postbacks: ApplePostbacks())
/// try await client.register()
/// try await client.addRevenue(9.99, currency: "USD")
/// try await client.update(event: "purchase")
/// ```
///
/// Updates run one after the other, in the order of the calls. An update that throws has changed nothing, and may be
/// repeated. The state is stored before an update returns, under the names that published clients use.
public actor ConversionClient {
  private let values: any ConversionValueSource
  private let postbacks: any PostbackUpdating
  private let store: any KeyValueStore
  private let clock: any Clock
  private let framework: AdFramework
  private let overlapsReengagements: Bool

  private var install: ConversionState
  /// The re-engagements whose values are updated, the latest first.
  private var reengagements: [ConversionState]
  /// The last of the operations that wait for each other.
  private var tail: Task<Void, Never>?

  /// A client that continues with the stored state.
  ///
  /// - Parameters:
  ///   - values: The source of conversion values: a server or a model.
  ///   - postbacks: Apple's frameworks, or a stand-in for tests.
  ///   - framework: The rules of windows and values.
  ///   - overlapsReengagements: Indicates that the app's Info.plist has
  ///     `EligibleForAdAttributionKitOverlappingConversions`, so that from iOS 18.4 on a new re-engagement does not end
  ///     those before. Each is then updated by its conversion tag.
  ///   - store: The storage of the state.
  ///   - clock: The time.
  /// - Throws: `storage` if the stored state cannot be read.
  public init(
    values: any ConversionValueSource,
    postbacks: any PostbackUpdating,
    framework: AdFramework = .skAdNetwork4,
    overlapsReengagements: Bool = false,
    store: any KeyValueStore = UserDefaultsStore(),
    clock: any Clock = SystemClock()
  ) throws(ConversionClientError) {
    (self.values, self.postbacks, self.framework) = (values, postbacks, framework)
    (self.overlapsReengagements, self.store, self.clock) = (overlapsReengagements, store, clock)
    install = try ConversionState(of: .install, under: framework, in: store)
    reengagements = []
    for place in 0..<Self.mostReengagements {
      let state = try ConversionState(of: .reengagement, at: place, under: framework, in: store)
      guard state.firstCall != nil else { break }
      reengagements.append(state)
    }
  }

  /// Starts the conversion windows at Apple with the value 0. Has no effect after the first success.
  ///
  /// - Throws: `apple`, `storage` or `cancelled`. The app is not registered then.
  public func register() async throws(ConversionClientError) {
    try await inTurn { client throws(ConversionClientError) in try await client.start(.install, tag: nil) }
  }

  /// Asks for the values that fit the user after an event, tells them to Apple if they changed, and stores them.
  ///
  /// Registers first if that has not happened. Call it without an event each time the app is opened.
  ///
  /// - Parameter event: The event that just happened, 1 to 32 printable ASCII characters.
  /// - Returns: The values that are in force, after they have been stored.
  /// - Throws: An error after which the state is as before. A registration that came first stays.
  @discardableResult
  public func update(event: String = Event.session) async throws(ConversionClientError) -> Update {
    guard Event.isValid(event) else { throw .invalidEvent(event) }
    return try await inTurn { client throws(ConversionClientError) in try await client.updateAll(event) }
  }

  /// Adds revenue to the total and to the total of the current window. Call it before `update`, once for each payment.
  ///
  /// The amount is rounded to six fraction digits. An amount of 0 has no effect. A negative one is a refund: it takes back at
  /// most what was paid in the current window, because earlier windows are in postbacks that were sent. No total is negative.
  ///
  /// - Parameters:
  ///   - amount: The amount in whole units of the currency, such as 9.99, or -9.99 for a refund; below 10¹⁵.
  ///   - currency: The ISO 4217 code of its currency.
  ///   - isAdMonetization: Indicates revenue from ads shown in the app, and not from a purchase.
  /// - Throws: `invalidAmount`, `invalidCurrency` or `storage`. The totals are as before.
  public func addRevenue(
    _ amount: Decimal,
    currency: String,
    isAdMonetization: Bool = false
  ) throws(ConversionClientError) {
    let payment = try Payment(amount, currency: currency, isAdMonetization: isAdMonetization)
    guard payment.amount != 0 else { return }
    var (install, reengagements) = (self.install, self.reengagements)
    try install.add(payment, at: clock.now, under: framework)
    for place in reengagements.indices { try reengagements[place].add(payment, at: clock.now, under: framework) }
    try save(install, reengagements)
  }

  /// Starts the windows of a re-engagement if this URL, with which the app was opened, comes from one.
  ///
  /// Until its windows are over, updates also tell Apple the values of the re-engagement.
  ///
  /// - Returns: True if the URL comes from a re-engagement.
  /// - Throws: `reengagementNotSupported`, `apple`, `storage` or `cancelled`. There is no new re-engagement then.
  @discardableResult
  public func reengage(opening url: URL) async throws(ConversionClientError) -> Bool {
    guard let opening = ReengagementOpening(url) else { return false }
    guard values.knowsReengagements else { throw .reengagementNotSupported }
    try await inTurn { client throws(ConversionClientError) in
      try await client.start(.reengagement, tag: opening.tag)
    }
    return true
  }

  /// The state under the names of the parameters and of S2S metadata, to send with sessions and events: numbers as
  /// digits, revenue as JSON objects. Values that are not known yet are absent.
  public func details() -> [String: String] { install.details(under: framework) }

  /// The index of the current conversion window, 0 to 2; nil after the last one. It is 0 before the registration.
  public var windowIndex: Int? { install.window(at: clock.now, under: framework) }
}

// MARK: - Operations, one after the other

extension ConversionClient {
  /// Runs an operation after all that were begun before.
  private func inTurn<Value: Sendable>(
    _ operation: @escaping @Sendable (isolated ConversionClient) async throws(ConversionClientError) -> Value
  ) async throws(ConversionClientError) -> Value {
    let previous = tail
    let task = Task { () async -> Result<Value, ConversionClientError> in
      await previous?.value
      if Task.isCancelled { return .failure(.cancelled) }
      do throws(ConversionClientError) {
        return .success(try await operation(self))
      } catch {
        return .failure(error)
      }
    }
    tail = Task { _ = await task.value }
    return try await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }.get()
  }

  /// Tells Apple of the first launch, or of a new re-engagement, and stores its time.
  private func start(_ type: AdConversionType, tag: String?) async throws(ConversionClientError) {
    guard type == .reengagement || install.firstCall == nil else { return }
    let coarse: CoarseConversionValue? = framework.hasWindows ? .low : nil
    try await tell(PostbackValues(fineValue: 0, coarseValue: coarse, conversionType: type, conversionTag: tag))
    if type == .install {
      var state = install
      state.start(at: clock.now, coarse: coarse, tag: tag)
      return try save(state, reengagements)
    }
    var state = ConversionState(of: .reengagement)
    state.start(at: clock.now, coarse: coarse, tag: tag)
    try save(install, [state] + earlierReengagements(than: state))
  }

  /// The re-engagements that go on beside a new one: those that its tag tells apart, in windows that are not over.
  private func earlierReengagements(than state: ConversionState) -> [ConversionState] {
    guard overlapsReengagements, let tag = state.tag else { return [] }
    let others = reengagements.filter { other in
      other.tag != nil && other.tag != tag && other.window(at: clock.now, under: framework) != nil
    }
    return Array(others.prefix(Self.mostReengagements - 1))
  }

  /// The most re-engagements whose values are updated at once.
  private static let mostReengagements = 8

  /// Updates the install and the re-engagements: all, or none if one of them fails.
  private func updateAll(_ event: String) async throws(ConversionClientError) -> Update {
    if install.firstCall == nil { try await start(.install, tag: nil) }
    var places: [Int] = []
    if values.knowsReengagements {
      places = self.reengagements.indices.filter {
        self.reengagements[$0].window(at: clock.now, under: framework) != nil
      }
    }
    var decisions: [Decision] = []
    do throws(ConversionClientError) {
      decisions.append(try await decision(nil, event))
    } catch {
      guard case .windowsOver = error, !places.isEmpty else { throw error }
    }
    // An update through SKAdNetwork has no tag, so it also overwrites the value of the latest re-engagement.
    let isOverwritten = decisions.contains { $0.outcome == .sent }
    for place in places {
      decisions.append(try await decision(place, event, isOverwritten: isOverwritten && place == places.first))
    }
    for decision in decisions {
      if let told = decision.told { try await tell(told) }
    }
    let now = clock.now
    var (install, reengagements) = (self.install, self.reengagements)
    for decision in decisions {
      if let place = decision.place {
        decision.apply(to: &reengagements[place], at: now)
      } else {
        decision.apply(to: &install, at: now)
      }
    }
    try save(install, reengagements)
    return Update(decisions[0], self[decisions[0].place])
  }

  /// Asks for the values of the install, or of the re-engagement at a place. Values that are overwritten at Apple are told again,
  /// also if they are not new.
  private func decision(
    _ place: Int?,
    _ event: String,
    isOverwritten: Bool = false
  ) async throws(ConversionClientError) -> Decision {
    let state = self[place]
    guard let request = try ConversionValueRequest(event, state, at: clock.now, under: framework) else {
      throw .windowsOver
    }
    var decision = Decision(request, place)
    if state.windows[request.window].lockedAt != nil {
      decision.outcome = .windowLocked
      return decision
    }
    let answer = try await values.values(for: request)
    guard !Task.isCancelled else { throw .cancelled }
    if let answer, var change = try ConversionChange(answer, to: self[place], under: framework) {
      // A lock applies to the window that Apple's device is in, so a late answer must not lock the next one.
      if self[place].window(at: clock.now, under: framework) != change.window { change.locksWindow = false }
      decision.window = change.window
      decision.outcome = change.isNew(in: self[place]) ? .sent : .unchanged
      decision.change = change
    }
    if decision.outcome == .sent || isOverwritten {
      let change = decision.change ?? ConversionChange(of: self[place], in: request.window)
      decision.told = change.postbackValues(of: self[place])
    }
    return decision
  }

  private func tell(_ values: PostbackValues) async throws(ConversionClientError) {
    do {
      try await postbacks.update(values)
    } catch {
      throw .apple(error)
    }
  }
}

// MARK: - State

extension ConversionClient {
  /// The state of the install, or of the re-engagement at a place.
  private subscript(place: Int?) -> ConversionState { place.map { reengagements[$0] } ?? install }

  /// Stores all states in one step. Nothing changes if that fails.
  private func save(
    _ install: ConversionState,
    _ reengagements: [ConversionState]
  ) throws(ConversionClientError) {
    var changes = install.stored(under: framework, since: self.install)
    let none = ConversionState(of: .reengagement)
    for place in 0..<max(reengagements.count, self.reengagements.count) {
      let old = place < self.reengagements.count ? self.reengagements[place] : none
      let new = place < reengagements.count ? reengagements[place] : none
      changes.merge(new.stored(under: framework, since: old, at: place)) { _, new in new }
    }
    do {
      if !changes.isEmpty { try store.save(changes) }
    } catch {
      throw .storage(error)
    }
    (self.install, self.reengagements) = (install, reengagements)
  }
}
