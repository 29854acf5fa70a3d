package import ConversionModel
package import PostbackCopies

/// The comparison of forwarders' values of a field with those of devices' own copies.
package struct FieldCounts: Sendable, Equatable {
  /// The number of postbacks whose field could be read in both, with a value in at least one.
  package internal(set) var compared = 0
  /// The number of those in which a forwarder has another value, by the kind of the difference.
  package internal(set) var differences: [FieldDifference: Int] = [:]

  /// The number of postbacks in which both are the same.
  package var agreeing: Int { compared - differences.values.reduce(0, +) }

  static func += (left: inout Self, right: Self) {
    left.compared += right.compared
    left.differences.merge(right.differences, uniquingKeysWith: +)
  }
}

/// The counts of the postbacks of one forwarder, or of all.
package struct PartyCounts: Sendable, Equatable {
  /// The number of postbacks with a device's own copy.
  package internal(set) var direct = 0
  /// The number of postbacks with another copy.
  package internal(set) var forwarded = 0
  /// The number of postbacks with both.
  package internal(set) var both = 0
  /// The comparison of the fields that were compared.
  package internal(set) var fields: [UnsignedField: FieldCounts] = [:]
  /// The number of postbacks whose fine conversion value differs, with a value in both copies.
  package internal(set) var changedValues = 0
  /// The sum of the differences, a forwarder's value less the device's.
  package internal(set) var valueChange = 0
  /// The number of those in which the forwarder's value is greater.
  package internal(set) var raisedValues = 0
  /// The sum of what the forwarders' values would have been worth, less what the devices' are, by currency.
  package internal(set) var revenueEffect: [String: Amount] = [:]
  /// The number of postbacks in conflict without a difference between a device and a forwarder, by the kind.
  package internal(set) var otherConflicts: [FieldDifference: Int] = [:]
  /// The numbers of postbacks by day of the week of the first receipt, from Monday.
  var days = DayCounts()

  /// Counts a postback with the copies of a forwarder, or of all of them, in their order.
  mutating func add(_ postback: SettledPostback, _ copies: [PostbackCopy], _ day: Int?, _ models: Models) {
    let settlement = postback.settlement
    let hasDirect = settlement.directCount > 0
    if hasDirect { direct += 1 }
    if !copies.isEmpty { forwarded += 1 }
    if hasDirect, !copies.isEmpty { both += 1 }
    if let day { days.add(postback, hasForwarded: !copies.isEmpty, day) }
    var others: Set<FieldDifference> = []
    for (field, settled) in zip(settlement.fields, settlement.settled) where settled.state == .conflict {
      switch settled.difference {
      // Another forwarder may have sent the two values.
      case .selfConflict: if Set(copies.map { $0.values[field] }).count > 1 { others.insert(.selfConflict) }
      case .forwardersDiffer, .directConflict: others.insert(settled.difference ?? .changed)
      case .changed, .dropped, .added, .zeroForNull, nil: break
      }
    }
    for difference in others { otherConflicts[difference, default: 0] += 1 }
    guard hasDirect, let device = settlement.copies.first(where: \.isDirect) else { return }
    // Who posts as a device is not known: copies that contradict each other prove nothing about a forwarder.
    guard settlement.copies.allSatisfy({ !$0.isDirect || $0.values == device.values }) else { return }
    var edited: PostbackCopy?
    for (field, settled) in zip(settlement.fields, settlement.settled) where settled.direct.count == 1 {
      let readable = copies.filter { $0.values[field] != UnsignedValues.unreadable }
      let absent = UnsignedValues.absent
      guard readable.contains(where: { $0.values[field] != absent || settled.direct[0] != absent }) else { continue }
      var counts = FieldCounts(compared: 1)
      let differing = readable.first { copy in
        let difference = FieldDifference(field, forwarded: copy.values[field], direct: settled.direct[0])
        return difference != nil && !(difference == .zeroForNull && postback.rule.isNullAsZero)
      }
      if let differing,
        let difference = FieldDifference(field, forwarded: differing.values[field], direct: settled.direct[0])
      {
        counts.differences[difference] = 1
        if field.isValue, edited == nil { edited = differing }
        if field == .conversionValue { addChange(from: settled.direct[0], to: differing.values[field]) }
      }
      fields[field, default: FieldCounts()] += counts
    }
    if let edited { addEffect(postback, device, edited, models) }
  }

  private mutating func addChange(from device: Int64, to forwarded: Int64) {
    guard device >= 0, forwarded >= 0 else { return }
    changedValues += 1
    valueChange += Int(forwarded - device)
    if forwarded > device { raisedValues += 1 }
  }

  private mutating func addEffect(
    _ postback: SettledPostback,
    _ device: PostbackCopy,
    _ forwarded: PostbackCopy,
    _ models: Models
  ) {
    let (right, edited) = (
      models.decode(postback.conversion(device.values, device.time)),
      models.decode(postback.conversion(forwarded.values, device.time))
    )
    if let currency = edited.currency, let revenue = edited.revenue {
      revenueEffect[currency, default: .zero] += revenue.estimate
    }
    if let currency = right.currency, let revenue = right.revenue {
      revenueEffect[currency, default: .zero] += -revenue.estimate
    }
  }

  static func += (left: inout Self, right: Self) {
    left.direct += right.direct
    left.forwarded += right.forwarded
    left.both += right.both
    for (field, counts) in right.fields { left.fields[field, default: FieldCounts()] += counts }
    left.changedValues += right.changedValues
    left.valueChange += right.valueChange
    left.raisedValues += right.raisedValues
    left.revenueEffect.merge(right.revenueEffect, uniquingKeysWith: +)
    left.otherConflicts.merge(right.otherConflicts, uniquingKeysWith: +)
    left.days += right.days
  }
}

/// The numbers of the postbacks of a week by day, from Monday, of those that have a device's own copy if copies are set up.
struct DayCounts: Sendable, Equatable {
  /// With a device's own copy.
  var direct = [Int](repeating: 0, count: 7)
  /// With a forwarder's copy.
  var forwarded = [Int](repeating: 0, count: 7)
  /// With a device's own copy alone.
  var onlyDirect = [Int](repeating: 0, count: 7)
  /// With a forwarder's copy alone.
  var onlyForwarded = [Int](repeating: 0, count: 7)

  fileprivate mutating func add(_ postback: SettledPostback, hasForwarded: Bool, _ day: Int) {
    guard postback.mayHaveDirectCopy else { return }
    let hasDirect = postback.settlement.directCount > 0
    if hasDirect { direct[day] += 1 }
    if hasForwarded { forwarded[day] += 1 }
    if hasDirect, !hasForwarded { onlyDirect[day] += 1 }
    // Another forwarder's copy is no device's.
    if hasForwarded, !hasDirect { onlyForwarded[day] += 1 }
  }

  static func += (left: inout Self, right: Self) {
    for day in 0..<7 {
      left.direct[day] += right.direct[day]
      left.forwarded[day] += right.forwarded[day]
      left.onlyDirect[day] += right.onlyDirect[day]
      left.onlyForwarded[day] += right.onlyForwarded[day]
    }
  }
}
