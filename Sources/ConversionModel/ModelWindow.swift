/// What the values of one conversion window mean.
public struct ModelWindow: Sendable {
  /// The window's `postback-sequence-index`, 0 to 2.
  public let postbackSequenceIndex: Int
  /// The conversions that it is for; nil where it is for all that have no window of their own.
  public let conversionType: ConversionType?
  /// Whether the window's values include what happened in the windows before.
  public let isCumulative: Bool
  /// When the app locks the window early, so that its postback may come soon.
  public let lockRule: LockRule
  /// Where the coarse values of window 0 begin among the fine ones; nil where they are told by their own meanings.
  public let coarseStarts: CoarseStarts?
  /// The meanings of the fine values 0 to 63.
  let fineTable: ValueTable
  /// The meanings of the coarse values low, medium and high.
  let coarseTable: ValueTable

  /// A window of these meanings.
  ///
  /// Where `coarseStarts` is there, a coarse value whose meaning is not in `coarse` means all that its fine values do.
  init(
    postbackSequenceIndex: Int,
    conversionType: ConversionType?,
    isCumulative: Bool,
    lockRule: LockRule,
    fine: [Meaning?],
    coarse: [Meaning?],
    coarseStarts: CoarseStarts?,
    hasCurrency: Bool
  ) {
    self.postbackSequenceIndex = postbackSequenceIndex
    self.conversionType = conversionType
    self.isCumulative = isCumulative
    self.lockRule = lockRule
    self.coarseStarts = coarseStarts
    fineTable = ValueTable(fine)
    let given = ValueTable(coarse)
    let derived = coarseStarts.map { ValueTable($0.meanings(over: fine, hasCurrency: hasCurrency)) } ?? .empty
    coarseTable = ValueTable(CoarseValue.allCases.map { given[$0.rank] ?? derived[$0.rank] })
  }

  /// Whether the app may lock the window early.
  public var isLockedEarly: Bool { lockRule != .never }

  /// The fine values that the model lists.
  public var fineValues: [Int] { fineTable.meanings.indices.filter { fineTable[$0] != nil } }

  /// What `value` means; nil where the model does not list it, in particular outside 0 to 63.
  public func meaning(fine value: Int) -> Meaning? { fineTable[value] }

  /// What `value` means; nil where the model does not list it.
  public func meaning(coarse value: CoarseValue) -> Meaning? { coarseTable[value.rank] }
}
