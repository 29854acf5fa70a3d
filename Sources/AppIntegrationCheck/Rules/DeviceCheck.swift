internal import ConversionModel

/// The check of the sessions and events of one device, row by row in the order of their reception.
struct DeviceCheck {
  /// The number of seconds by which clocks may differ.
  static let clockTolerance: Int64 = 300

  let models: Models
  private(set) var findings = DeviceFindings()
  /// The row that is checked, for findings.
  private var place: (event: String?, file: UInt32, line: UInt32) = (nil, 0, 0)

  // What is known from the rows before. A row need not have all fields, so each is the last known value.
  var rowCount = 0
  var sessionCount = 0
  var firstReceived: Int64?
  var lastReceived: Int64 = 0
  var firstCall: Int64?
  var lastCall: Int64?
  var current: Int?
  var previous: Int?
  var coarse: [Int?] = [nil, nil, nil]
  var previousCoarse: [Int?] = [nil, nil, nil]
  var locks: [Int64?] = [nil, nil, nil]
  var totals: [MetadataField: SessionValues.Total] = [:]
  var rises = RecentRises()
  var life = ModelledLife()
  /// The number of rows that no model is for.
  private(set) var rowsWithoutModel = 0
  /// The number of rows after a first session in the window.
  var rowsAfterSession: [Int?] = [nil, nil, nil]
  var isLegacy = false
  /// The number of rows after the first one with revenue in the first window that the model gives a value.
  var rowsAfterRevenue: Int?
  var isAlwaysZero = true
  var hasUpdated = false
  /// Indicates that revenue was taken back, after which values may fall.
  var hasRefund = false
  /// The last call and the model's value of the latest finding of `lastCallStalls`, so that one stall is one finding.
  var stall: (lastCall: Int64?, expected: Int)?
  /// The fine value at the end of the first window, with the app; nil if none is known.
  private(set) var valueAfter48Hours: (bundleID: String?, firstCall: Int64, value: Int)?

  init(models: Models) { self.models = models }

  /// Adds a finding about the current row.
  mutating func note(_ rule: ImplementationRule, _ values: String, _ severity: FindingSeverity? = nil) {
    findings.add(rule, severity, place, values)
  }

  mutating func check(_ row: SessionValues, _ record: SessionRecord) {
    place = (row.event, record.file, record.line)
    findings.beginRow(row.appVersion ?? "")
    isLegacy = row.isLegacy
    for defect in row.defects { note(defect.rule, defect.values) }
    checkNames(row, record)
    let received = row.receivedAt / 1000
    if firstReceived == nil { firstReceived = received }
    let age = checkTimes(row, received: received)
    if row.event == SessionValues.session { sessionCount += 1 }
    let model = row.bundleID.flatMap { bundle in firstCall.flatMap { life.model(of: bundle, at: $0, among: models) } }
    if model == nil { rowsWithoutModel += 1 }
    checkRevenue(row, received: received, age: age)
    checkValues(row, model, age: age)
    checkWindows(row, model, age: age)
    remember(row, model, received: received, age: age)
  }

  private mutating func checkNames(_ row: SessionValues, _ record: SessionRecord) {
    var required: [MetadataField] = [
      .sdkKey, .idfa, .idfv, .platform, .osVersion, .bundleID, .appVersion, .event, .currentValue, .firstCall,
      .lastCall,
    ]
    let model = row.bundleID.flatMap { bundle in
      row.firstCall.flatMap { life.model(of: bundle, at: $0, among: models) }
    }
    if let model, model.currency != nil {
      if model.revenueKind != .adMonetization { required.append(.revenue) }
      if model.revenueKind != .inAppPurchases, !row.isLegacy { required.append(.adRevenue) }
    }
    let missing = required.filter { field in
      !row.has(field) && !(field == .idfv && row.has(.device))
    }
    if !missing.isEmpty { note(.parameterMissing, missing.map(\.name).joined(separator: ", ")) }
    if !record.otherCaseNames.isEmpty {
      note(.parameterNameCase, record.otherCaseNames.sorted().joined(separator: ", "))
    }
    if !record.unknownNames.isEmpty {
      note(.parameterUnknownAlias, record.unknownNames.sorted().joined(separator: ", "))
    }
    if let event = row.event, event.utf8.count > 32 || !event.utf8.allSatisfy({ $0 < 0x80 }) {
      note(.eventName, "n \(event.prefix(40))")
    }
  }

  private mutating func remember(_ row: SessionValues, _ model: ConversionModel?, received: Int64, age: Int64?) {
    rowCount += 1
    lastReceived = received
    if let value = row.current {
      if value > 0 || current.map({ $0 != value }) ?? false { hasUpdated = true }
      if value != 0 { isAlwaysZero = false }
      current = value
    } else if row.has(.currentValue) {
      (current, previous) = (nil, nil)
    }
    previous = row.previous ?? previous
    lastCall = row.lastCall ?? lastCall
    for window in 0...2 {
      coarse[window] = row.coarse[window] ?? coarse[window]
      previousCoarse[window] = row.previousCoarse[window] ?? previousCoarse[window]
      locks[window] = row.locks[window] ?? locks[window]
      if row.coarse[window] ?? 0 > 0 { hasUpdated = true }
    }
    if let rows = rowsAfterRevenue { rowsAfterRevenue = rows + 1 }
    if let age, age < ModelWindow.spans[0].upperBound {
      if let current, let firstCall { valueAfter48Hours = (row.bundleID, firstCall, current) }
      let earned = [row.revenue, row.adRevenue].compactMap { $0 }.contains { $0.values.contains { $0 > .zero } }
      let isOver = row.isLegacy && isFinal(row, model, age: age)
      if earned, rowsAfterRevenue == nil, !isOver, life.expected ?? 1 > 0 { rowsAfterRevenue = 0 }
    }
  }

  /// Checks what only all rows together show.
  mutating func finish() {
    if rowCount >= 3, sessionCount == 0 { note(.eventName, "\(rowCount) rows without \(SessionValues.session)") }
    // The metadata of the row with revenue may be those before its update, so another row has to follow.
    if sessionCount >= 3, rowsAfterRevenue ?? 0 > 0, isAlwaysZero, current == 0, life.expected ?? 1 > 0 {
      note(.stuckAtZero, "\(sessionCount) sessions, revenue, value 0")
    }
    guard !isLegacy else { return }
    let isRegistered = firstCall != nil && (lastCall ?? firstCall) == firstCall && !hasUpdated
    let days = firstCall.map { (lastReceived - $0) / 86_400 } ?? 0
    let missesUpdate = rowsAfterSession.contains { $0 ?? 0 > 0 }
    if isRegistered, missesUpdate, sessionCount >= 2, days >= 7 {
      return note(.registerOnly, "first and last call \(firstCall ?? 0), \(sessionCount) sessions in \(days) days")
    }
    for window in 1...2 where rowsAfterSession[window] ?? 0 > 0 && coarse[window] == nil {
      note(.windowNever, "sessions in window \(window), no \(MetadataField.coarse[window].name)")
    }
  }
}
