/// The meanings of the values of one conversion window.
@available(iOS 18.0, *)
public struct ModelWindow: Sendable {
  /// The window's `postback-sequence-index`, 0 to 2.
  public let postbackSequenceIndex: Int
  /// The type of conversions to which the window applies; nil where it applies to all types without a window of their
  /// own.
  public let conversionType: ConversionType?
  /// Indicates that the window's values include the activity of the windows before.
  public let isCumulative: Bool
  /// The condition under which the app locks the window early, so that its postback is sent earlier.
  public let lockRule: LockRule
  /// The fine values at which the coarse values of window 0 begin; nil where coarse values have meanings of their own.
  public let coarseStarts: CoarseStarts?
  /// The meanings of the fine values 0 to 63.
  let fineTable: ValueTable
  /// The meanings of the coarse values low, medium and high.
  let coarseTable: ValueTable

  /// A window with these meanings.
  ///
  /// If `coarseStarts` is present, a coarse value without a meaning in `coarse` covers the meanings of its fine
  /// values.
  init(
    postbackSequenceIndex: Int,
    conversionType: ConversionType?,
    isCumulative: Bool,
    lockRule: LockRule,
    fine: [DecodedMeaning?],
    coarse: [DecodedMeaning?],
    coarseStarts: CoarseStarts?,
    hasCurrency: Bool
  ) {
    (self.postbackSequenceIndex, self.conversionType) = (postbackSequenceIndex, conversionType)
    (self.isCumulative, self.lockRule) = (isCumulative, lockRule)
    self.coarseStarts = coarseStarts
    fineTable = ValueTable(fine)
    let given = ValueTable(coarse)
    let derived = coarseStarts.map { ValueTable($0.meanings(over: fine, hasCurrency: hasCurrency)) } ?? .empty
    coarseTable = ValueTable(CoarseValue.allCases.map { given[$0.rank] ?? derived[$0.rank] })
  }

  /// The conversion windows of SKAdNetwork 4 and AdAttributionKit, in seconds after the first launch.
  package static let spans: [Range<Int64>] = [0..<172_800, 172_800..<604_800, 604_800..<3_024_000]

  /// Indicates that the app may lock the window early.
  public var isLockedEarly: Bool { lockRule != .never }

  /// The fine values that the model lists.
  public var fineValues: [Int] { fineTable.meanings.indices.filter { fineTable[$0] != nil } }

  /// The meaning of a fine value; nil where the model does not list it, in particular outside 0 to 63.
  public func meaning(fine value: Int) -> DecodedMeaning? { fineTable[value] }

  /// The meaning of a coarse value; nil where the model does not list it.
  public func meaning(coarse value: CoarseValue) -> DecodedMeaning? { coarseTable[value.rank] }
}

/// The condition under which the app locks a conversion window, so that its postback is sent before the window ends.
public enum LockRule: Hashable, Sendable {
  /// The app never locks the window.
  case never
  /// The highest fine value that the window lists is reported, or the highest coarse one where it lists no fine
  /// values.
  case highestValue
  /// This fine value or a higher one is reported.
  case fineValue(Int)
  /// This coarse value or a higher one is reported.
  case coarseValue(CoarseValue)
  /// This event has happened.
  case event(String)
}
