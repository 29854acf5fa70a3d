package import SKAdNetwork
internal import Signatures

extension PostbackFormat {
  /// Finds the format with a name; nil if no format has it.
  package init?(name: String) {
    guard let format = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = format
  }

  /// The name in options and in the truth file: the version, or `aak`.
  package var name: String { version?.rawValue ?? "aak" }

  /// The curve of the signature.
  var curve: Curve { rules.isSignedWithP192 ? .p192 : .p256 }

  /// Indicates that the format has three conversion windows, with coarse values.
  var hasWindows: Bool { rules.has(.coarseConversionValue) }

  /// Indicates that the format has a conversion value.
  var hasConversionValue: Bool { rules.has(.conversionValue) }

  /// Indicates that networks which lost an attribution receive postbacks too.
  var tellsLosers: Bool { rules.has(.didWin) }

  /// The signed fields that can be changed with the postback still well formed.
  ///
  /// The version 4.0 cannot be changed, because the other versions do not have its fields.
  package var editableFields: [Field] {
    rules.signedFields.filter { $0 != .version || self != .skAdNetwork(.v4_0) }
  }

  /// The signed fields that are present in every postback of the format. A postback without a version is one of 1.0.
  var requiredFields: [Field] {
    let fields = rules.signed.filter { $0.presence == .required && $0.field != .version }.map(\.field)
    guard version == nil else { return fields }
    // In this order a seed gives the same dump as in earlier versions of this program.
    let identity = [adNetwork, transaction, app]
    return identity + fields.filter { !identity.contains($0) }
  }

  // MARK: - Fields with different names in the two frameworks

  var adNetwork: Field { version == nil ? .adNetworkIdentifier : .adNetworkID }
  var transaction: Field { version == nil ? .postbackIdentifier : .transactionID }
  var app: Field { version == nil ? .advertisedItemIdentifier : .appID }
  var sourceApp: Field { version == nil ? .publisherItemIdentifier : .sourceAppID }
}
