internal import ConversionModel
internal import PostbackCopies

/// The differences of the values that a forwarder sent from the one that the device sent, in one postback.
///
/// All values that the forwarder sent are compared. A value that cannot be read is not.
struct DeviceComparison {
  /// Indicates that the conversion values, and that the countries, could be read on both sides.
  private(set) var hasReadableValues = false
  private(set) var hasReadableCountries = false
  /// Indicates that the device sent a conversion value.
  let hasDeviceValue: Bool
  /// Indicates that the device or the forwarder sent a country.
  private(set) var hasCountry = false
  /// A value above the device's, one below it or none in its place, one where the device has none of either kind, and another country.
  private(set) var raised, lowered, added, country: ValueChange?
  /// Indicates that the forwarder sent a fine value beside or in place of the device's coarse one, so that the revenue may differ.
  private(set) var hasOwnFineValue = false
  /// A value of the device in whose place the forwarder sent none.
  private(set) var nulled: ValueChange?
  /// Indicates that the forwarder sent 0 in place of a fine value.
  private(set) var isLoweredToZero = false
  /// Tells if the forwarder sent 0 where the device has no fine value; nil if the device has one.
  private(set) var writesNullAsZero: Bool?
  /// The value of the device that has a meaning, and the forwarder's that means the most: the fine one, or else the coarse
  /// one.
  private(set) var meant: (from: MeantValue, to: MeantValue)

  init(_ forwarder: PostbackSenders.Sender, with device: UnsignedValues) {
    let fields: [UnsignedField] = [.conversionValue, .coarseConversionValue]
    let unreadable = UnsignedValues.unreadable
    hasDeviceValue = fields.contains { device[$0] >= 0 }
    meant = (device.meant, device.meant)
    let isDeviceReadable = fields.allSatisfy { device[$0] != unreadable }
    var best: MeantValue?
    for (values, _) in forwarder.values {
      func difference(_ field: UnsignedField) -> ValueChange {
        ValueChange(field: field, from: device[field], to: values[field])
      }
      if isDeviceReadable, fields.allSatisfy({ values[$0] != unreadable }) {
        hasReadableValues = true
        best = best.map { max($0, values.meant) } ?? values.meant
        if hasDeviceValue, values.meant == .none {
          nulled = nulled ?? fields.first { device[$0] >= 0 }.map(difference)
        }
        if device[.conversionValue] == UnsignedValues.absent {
          writesNullAsZero = values[.conversionValue] == 0
        } else if device[.conversionValue] > 0, values[.conversionValue] == 0 {
          isLoweredToZero = true
        }
        // The fine value has the meaning where the device has both.
        if let field = fields.first(where: { device[$0] >= 0 }) {
          if values[field] > device[field] { raised = raised ?? difference(field) }
          if values[field] < device[field] { lowered = lowered ?? difference(field) }
          if field == .coarseConversionValue, values[.conversionValue] > 0 { hasOwnFineValue = true }
        } else {
          // Many write a missing fine value as 0.
          let field = fields.first { values[$0] > 0 || $0 == .coarseConversionValue && values[$0] == 0 }
          added = added ?? field.map(difference)
        }
      }
      if device[.countryCode] != unreadable, values[.countryCode] != unreadable {
        hasReadableCountries = true
        if device[.countryCode] >= 0 || values[.countryCode] >= 0 { hasCountry = true }
        if values[.countryCode] >= 0, values[.countryCode] != device[.countryCode] {
          country = country ?? difference(.countryCode)
        }
      }
    }
    if let best { meant.to = best }
  }

  /// The tests that the postback is about.
  var names: [SignalName] {
    let ofValues: [SignalName] = hasDeviceValue ? [.raisedValues, .loweredValues, .inventedNulls] : [.addedValues]
    let ofRevenue: [SignalName] = meant.from != .none || meant.to != .none ? [.raisedRevenue] : []
    return ofValues + ofRevenue + (hasCountry ? [.changedCountries] : [])
  }
}

/// A change of a field from the device's own copy to the forwarder's, as numbers.
struct ValueChange: Hashable, Sendable {
  let field: UnsignedField
  let from, to: Int64

  /// Indicates that the device has a fine value of 0, and the forwarder none.
  var isZeroToNone: Bool { field == .conversionValue && from == 0 && to == UnsignedValues.absent }
}

/// The value of a postback that has a meaning in a conversion model: none, the coarse or the fine one.
struct MeantValue: Hashable, Comparable, Sendable {
  /// 0 for none, 1 for the coarse value and 2 for the fine one.
  let kind: UInt8
  let value: Int8

  static let none = MeantValue(kind: 0, value: 0)

  /// The fine value; nil if it is another one.
  var fine: Int? { kind == 2 ? Int(value) : nil }
  /// The coarse value; nil if it is another one.
  var coarse: CoarseValue? {
    kind == 1 && CoarseValue.allCases.indices.contains(Int(value)) ? CoarseValue.allCases[Int(value)] : nil
  }

  /// A number for each value.
  var order: Int { Int(kind) * 256 + Int(value) }

  static func < (left: Self, right: Self) -> Bool { (left.kind, left.value) < (right.kind, right.value) }
}

extension UnsignedValues {
  /// The value that has a meaning.
  var meant: MeantValue {
    let (fine, coarse) = (self[.conversionValue], self[.coarseConversionValue])
    if fine >= 0 { return MeantValue(kind: 2, value: Int8(truncatingIfNeeded: fine)) }
    return coarse >= 0 ? MeantValue(kind: 1, value: Int8(truncatingIfNeeded: coarse)) : .none
  }
}
