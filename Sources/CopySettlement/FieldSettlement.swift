internal import Base
internal import PostbackCopies

/// The state of an unsigned field of a postback, over all its copies.
package enum FieldState: String, CaseIterable, Sendable {
  /// A device's own copy and a forwarder's have the same value.
  case confirmed
  /// Copies have different values.
  case conflict
  /// There are copies of devices alone.
  case directOnly = "direct_only"
  /// There are copies of forwarders alone.
  case forwardedOnly = "forwarded_only"
  /// A device's own copy and a forwarder's have no value.
  case absentBoth = "absent_both"
  /// A copy has a value that could not be read, and the others do not show a conflict.
  case unreadable
}

/// The difference between copies of a postback in an unsigned field.
package enum FieldDifference: String, CaseIterable, Sendable {
  /// A forwarder has another value than the device.
  case changed
  /// A forwarder has no value, and the device has one.
  case dropped
  /// A forwarder has a value, and the device has none.
  case added
  /// A forwarder has a conversion value of 0, and the device has none.
  case zeroForNull = "zero_for_null"
  /// The same forwarder sent different values, and no device's own copy tells which is right.
  case selfConflict = "self_conflict"
  /// Forwarders sent different values, and no device's own copy tells which is right.
  case forwardersDiffer = "forwarders_differ"
  /// Copies that came as a device's own have different values.
  case directConflict = "direct_conflict"

  /// The difference of a forwarder's value from the device's; nil if they are the same.
  init?(_ field: UnsignedField, forwarded: Int64, direct: Int64) {
    guard forwarded != direct else { return nil }
    if direct == UnsignedValues.absent {
      self = field == .conversionValue && forwarded == 0 ? .zeroForNull : .added
    } else {
      self = forwarded == UnsignedValues.absent ? .dropped : .changed
    }
  }
}

/// An unsigned field of a postback over all its copies.
struct FieldSettlement: Sendable {
  let state: FieldState
  /// The difference; nil if there is none. A network that writes a missing value as 0 may have one without a conflict.
  let difference: FieldDifference?
  /// The certainty of the value, 0 to 4, as `trust_level` has it.
  let level: Int
  /// The readable values of devices' own copies, and those of other copies, each once in the order of receipt.
  let direct: [Int64]
  let forwarded: [Int64]

  /// Compares the copies, which are in their order. `isNullAsZero` is true if the network writes a missing value as 0.
  init(_ field: UnsignedField, of copies: [PostbackCopy], isNullAsZero: Bool) {
    var direct: [Int64] = []
    var forwarded: [Int64] = []
    var hasUnreadable = false
    var isAuthenticated = false
    for copy in copies {
      let value = copy.values[field]
      if value == UnsignedValues.unreadable {
        hasUnreadable = true
      } else if copy.isDirect {
        if !direct.contains(value) { direct.append(value) }
      } else {
        if copy.isAuthenticated { isAuthenticated = true }
        if !forwarded.contains(value) { forwarded.append(value) }
      }
    }
    (self.direct, self.forwarded) = (direct, forwarded)
    var found: FieldDifference?
    var isTolerated = false
    if direct.count > 1 {
      found = .directConflict
    } else if let device = direct.first {
      for value in forwarded {
        guard let difference = FieldDifference(field, forwarded: value, direct: device) else { continue }
        if isNullAsZero, difference == .zeroForNull {
          isTolerated = true
        } else if found == nil {
          found = difference
        }
      }
    } else if forwarded.count > 1 {
      found = Self.isSelfConflict(field, copies) ? .selfConflict : .forwardersDiffer
    }
    difference = found ?? (isTolerated ? .zeroForNull : nil)
    let isInBoth = !direct.isEmpty && !forwarded.isEmpty
    if found != nil {
      state = .conflict
    } else if hasUnreadable {
      state = .unreadable
    } else if isInBoth {
      state = direct[0] == UnsignedValues.absent && !isTolerated ? .absentBoth : .confirmed
    } else {
      state = direct.isEmpty ? .forwardedOnly : .directOnly
    }
    level = found != nil ? 0 : isInBoth ? 4 : !direct.isEmpty ? 3 : isAuthenticated ? 2 : 1
  }

  /// Tells if a forwarder that is named sent different values of a field.
  private static func isSelfConflict(_ field: UnsignedField, _ copies: [PostbackCopy]) -> Bool {
    var values: [ExactText: Int64] = [:]
    for copy in copies where !copy.isDirect && copy.values[field] != UnsignedValues.unreadable {
      guard let forwarder = copy.forwarder?.exact else { continue }
      if let other = values.updateValue(copy.values[field], forKey: forwarder), other != copy.values[field] {
        return true
      }
    }
    return false
  }
}
