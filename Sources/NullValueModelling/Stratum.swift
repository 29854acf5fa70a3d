package import ConversionModel
package import LookupTables

/// The postbacks among which missing values are assumed to be missing at random: those of one app, of one ad network,
/// and of one campaign as far as null postbacks tell it.
package struct Stratum: Hashable, Comparable, Sendable {
  /// The part of a campaign's identifier that null postbacks have too.
  package enum Identifier: Hashable, Comparable, Sendable {
    /// The campaign id of SKAdNetwork 3 and earlier, 1 to 100.
    case campaign(Int)
    /// Two digits of a source identifier, 0 to 99.
    case source(Int)
    /// No identifier, as in postbacks of AdAttributionKit without one.
    case none

    /// Makes the identifier of a postback with a campaign id, or without any.
    package init(campaignID: Int64?) { self = campaignID.map { .campaign(Int($0)) } ?? .none }

    /// Makes the identifier of a postback with two to four digits of a source identifier, of which a network keeps the
    /// last two or the first two.
    package init(source: Span<UInt8>, keeping digits: Network.Digits) {
      self = .none
      guard source.count >= 2 else { return }
      let first = digits == .leading ? 0 : source.count - 2
      let (tens, ones) = (Int(source[first]) - 0x30, Int(source[first + 1]) - 0x30)
      if (0...9).contains(tens), (0...9).contains(ones) { self = .source(10 * tens + ones) }
    }
  }

  /// The advertised app.
  package var app: Int64
  /// The name of the ad network.
  package var network: String
  /// The part of the campaign's identifier.
  package var identifier: Identifier

  package init(app: Int64, network: String, _ identifier: Identifier) {
    (self.app, self.network, self.identifier) = (app, network, identifier)
  }

  package static func < (left: Stratum, right: Stratum) -> Bool {
    (left.app, left.network, left.identifier) < (right.app, right.network, right.identifier)
  }
}

/// A conversion value that a postback reported, and the revenue that it decodes to.
package struct ReportedValue: Hashable, Comparable, Sendable {
  /// The id of the model that decoded the value.
  package var modelID: String
  package var modelVersion: Int
  /// The fine value, or `firstCoarse` for `low`, and the next numbers for `medium` and `high`.
  package var code: Int
  /// The estimated revenue; nil in a model without a currency.
  package var estimate: Amount?
  /// The least revenue; nil if `estimate` is.
  package var minimum: Amount?
  /// The greatest revenue; nil if `estimate` is, and if there is no upper limit.
  package var maximum: Amount?
  /// The currency; nil if `estimate` is.
  package var currency: String?
  /// Indicates that the value includes the windows before.
  package var isCumulative = false
  /// The names of the events that the value means, in order.
  package var events: [String] = []
  /// The data tier that the postback shows: 1 for a coarse value, 2 for a fine one, and 3 for one with the app or the
  /// website that showed the ad.
  package var tier = 2
  /// Indicates that a postback of a later window may have come early, so that the error of its install date is larger.
  package var hasWideDate = false

  /// The code of the coarse value `low`, after all fine values.
  package static let firstCoarse = 64

  /// Makes a fine value that is worth nothing.
  package init(modelID: String, modelVersion: Int, fine value: Int) {
    (self.modelID, self.modelVersion, code) = (modelID, modelVersion, value)
  }

  /// Makes a coarse value that is worth nothing.
  package init(modelID: String, modelVersion: Int, coarse value: CoarseValue) {
    (self.modelID, self.modelVersion, code) = (modelID, modelVersion, Self.firstCoarse + value.rank)
    tier = 1
  }

  /// The coarse value; nil for a fine one.
  package var coarse: CoarseValue? { CoarseValue(rank: code - Self.firstCoarse) }

  /// The value without what is of its postback alone.
  var untiered: ReportedValue {
    var value = self
    (value.tier, value.hasWideDate) = (2, false)
    return value
  }

  package static func < (left: ReportedValue, right: ReportedValue) -> Bool {
    if (left.modelID, left.modelVersion, left.code) != (right.modelID, right.modelVersion, right.code) {
      return (left.modelID, left.modelVersion, left.code) < (right.modelID, right.modelVersion, right.code)
    }
    func amounts(_ value: ReportedValue) -> (Amount, Amount, Amount, String) {
      (value.estimate ?? .zero, value.minimum ?? .zero, value.maximum ?? .zero, value.currency ?? "")
    }
    if amounts(left) != amounts(right) { return amounts(left) < amounts(right) }
    if left.rank != right.rank { return left.rank < right.rank }
    if left.tier != right.tier { return left.tier < right.tier }
    return left.events.lexicographicallyPrecedes(right.events)
  }

  /// The rank among values that differ in nulls, in `isCumulative` or in `hasWideDate`.
  private var rank: Int {
    (maximum == nil ? 0 : 1) + (estimate == nil ? 0 : 2) + (isCumulative ? 4 : 0) + (hasWideDate ? 8 : 0)
  }
}
