internal import Base
internal import PostbackCopies

/// The settings that decide which copy of a postback counts.
struct SettlementRule: Sendable {
  /// The time from which devices' own copies of the app's postbacks come, in milliseconds since 1970; nil if it is not
  /// known that they do.
  var directSince: Int64?
  /// Indicates that the postback is of an id that a network and a measurement partner have for the device's own copies.
  var isSecure = false
  /// Indicates that the network writes a missing conversion value as 0.
  var isNullAsZero = false
  /// The longest time in milliseconds by which a device's own copy may come after a forwarder's and still count.
  var grace: Int64 = 48 * 3_600_000

  /// Tells if a device's own copy counts, where a forwarder's first one came at a time.
  fileprivate func counts(_ copy: PostbackCopy, afterForwarded first: Int64?) -> Bool {
    guard copy.isDirect, !isSecure else { return copy.isDirect }
    guard let directSince, let time = copy.time, time >= directSince else { return false }
    guard let first else { return true }
    return time - first <= grace
  }
}

/// The channel whose copy decides on the unsigned values of a postback.
package enum DecidingChannel: String, CaseIterable, Sendable {
  /// A device's own copy.
  case direct
  /// A forwarder's copy, or one of an unknown channel.
  case forwarded
}

/// All copies of a postback, with the values that count.
struct PostbackSettlement: Sendable {
  /// The copies in their order.
  let copies: [PostbackCopy]
  /// The unsigned fields that the postback can have.
  let fields: [UnsignedField]
  /// The comparison of each of `fields`.
  let settled: [FieldSettlement]
  /// The number of devices' own copies, and of others.
  let directCount: Int
  let forwardedCount: Int
  /// The times of receipt of the first device's own copy, and of the first other one.
  let directAt: Int64?
  let forwardedAt: Int64?
  /// The certainty of the values, 0 to 4.
  let trustLevel: Int
  /// The channel whose copy decides; nil if devices' own copies contradict each other.
  let deciding: DecidingChannel?
  /// The values that count; all absent if none do.
  let values: UnsignedValues
  /// The copy that decides; nil if devices' own copies contradict each other.
  let decider: PostbackCopy?
  /// Indicates that the conversion value that counts is a 0 that a forwarder may have written for a missing one.
  let isZeroFilled: Bool
  /// The time of receipt of the copy that decides; if none does, of the first one that counts.
  let receivedAt: Int64?

  /// Settles a postback of which there is at least one copy.
  init(_ all: [PostbackCopy], _ fields: [UnsignedField], _ rule: SettlementRule) {
    let copies = all.merged
    self.copies = copies
    self.fields = fields
    let settled = fields.map { FieldSettlement($0, of: copies, isNullAsZero: rule.isNullAsZero) }
    self.settled = settled
    directCount = copies.reduce(0) { $0 + ($1.isDirect ? $1.count : 0) }
    forwardedCount = copies.reduce(0) { $0 + ($1.isDirect ? 0 : $1.count) }
    let firstForwarded = copies.first { !$0.isDirect }
    directAt = copies.first { $0.isDirect }?.time
    let forwardedAt = firstForwarded?.time
    self.forwardedAt = forwardedAt
    var level = 4
    let hasValue = fields.contains(where: \.isValue)
    for (field, settlement) in zip(fields, settled) where settlement.level == 0 || field.isValue || !hasValue {
      level = min(level, settlement.level)
    }
    trustLevel = level
    let others = directCount == 0 ? copies : copies.filter { !$0.isDirect }
    // Copies with the same content are merged only now: an early one that does not count must not stand for one that does.
    let counting = directCount == 0 ? [] : all.filter { rule.counts($0, afterForwarded: forwardedAt) }.merged
    let isDirect = !counting.isEmpty || others.isEmpty
    let chosen = isDirect ? counting.isEmpty ? copies : counting : others
    var values = UnsignedValues()
    var isWithheld = false
    for (field, settlement) in zip(fields, settled) {
      func value(_ copy: PostbackCopy) -> Int64? {
        copy.values[field] == UnsignedValues.unreadable ? nil : copy.values[field]
      }
      let first = chosen.lazy.compactMap(value).first
      if isDirect, chosen.contains(where: { (value($0) ?? first) != first }) { isWithheld = true }
      values[field] = first ?? others.lazy.compactMap(value).first ?? UnsignedValues.absent
      // The network's 0 is no value if the device has none.
      if settlement.difference == .zeroForNull, settlement.state != .conflict { values[field] = UnsignedValues.absent }
    }
    self.values = isWithheld ? UnsignedValues() : values
    deciding = isWithheld ? nil : isDirect ? .direct : .forwarded
    decider = isWithheld ? nil : chosen.first
    isZeroFilled =
      self.values[.conversionValue] == 0
      && chosen.first { $0.values[.conversionValue] != UnsignedValues.unreadable }?.isZeroFilled == true
    receivedAt = chosen.first?.time
  }

  /// The names of the forwarders, sorted.
  var forwarders: [String] {
    if copies.count == 1 { return copies[0].forwarder.map { [$0] } ?? [] }
    return Set(copies.filter { !$0.isDirect }.compactMap(\.forwarder?.exact)).sorted().map(\.text)
  }

  /// Tells if a device's own copy contradicts a forwarder's and does not count, because the rule has no time from which on
  /// such copies come.
  func isUndated(_ rule: SettlementRule) -> Bool {
    guard trustLevel == 0, directCount > 0, forwardedCount > 0 else { return false }
    return rule.directSince == nil && !rule.isSecure
  }

  /// The time of the first copy, in milliseconds since 1970.
  var firstAt: Int64? { copies.first?.time }

  /// The comparison of a field; nil if the postback cannot have it.
  subscript(field: UnsignedField) -> FieldSettlement? {
    fields.firstIndex(of: field).map { settled[$0] }
  }
}
