internal import PostbackCopies

/// The senders of all copies of a postback, accepted and rejected ones, with the values that each of them sent.
struct PostbackSenders {
  /// A sender with its copies. Those of devices are one sender, and so are those of forwarders without a name.
  struct Sender {
    let isDirect: Bool
    /// The name of the forwarder; nil for devices and for senders that are not known.
    let name: String?
    /// The different values, each with the time of its first receipt; the greatest number if it is not known.
    fileprivate(set) var values: [(values: UnsignedValues, first: Int64)] = []
    /// The number of copies, the time of receipt of the first one, and that of the last one of those that tell it themselves.
    fileprivate(set) var count = 0
    fileprivate(set) var first = Int64.max
    fileprivate(set) var last = Int64.min
    /// Indicates that the fields of a copy are impossible under Apple's data tiers.
    fileprivate(set) var hasImpossibleFields = false

    /// Adds copies; those with the same values come one after the other.
    fileprivate mutating func add(_ copy: PostbackCopy) {
      count += copy.count
      (first, last) = (min(first, copy.receivedAt), max(last, copy.lastReceivedAt))
      hasImpossibleFields = hasImpossibleFields || copy.isImpossible
      if let last = values.last, last.values == copy.values {
        values[values.count - 1].first = min(last.first, copy.receivedAt)
      } else {
        values.append((copy.values, copy.receivedAt))
      }
    }

    /// The time from the first copy to the last one in milliseconds; 0 if it is not known.
    var wait: Int64 {
      guard first != .max, last != .min else { return 0 }
      let (wait, overflow) = last.subtractingReportingOverflow(first)
      return overflow ? 0 : wait
    }

    /// The time at which a value came that contradicts another; nil if none does. Values that cannot be read contradict
    /// none.
    var contradictedAt: Int64? {
      let readable = values.filter { sent in
        !UnsignedField.allCases.contains { sent.values[$0] == UnsignedValues.unreadable }
      }
      return readable.count > 1 ? readable.map(\.first).sorted()[1] : nil
    }
  }

  /// The senders: devices first, and then the others by their names.
  private(set) var senders: [Sender] = []

  /// Groups the copies of a postback, in whatever order they are.
  init(_ copies: [PostbackCopy]) {
    let sorted = copies.count < 2 ? copies : copies.sorted { $0.precedesBySender($1) }
    for copy in sorted {
      let name = copy.isDirect ? nil : copy.forwarder
      if senders.last.map({ $0.isDirect != copy.isDirect || $0.name != name }) ?? true {
        senders.append(Sender(isDirect: copy.isDirect, name: name))
      }
      senders[senders.count - 1].add(copy)
    }
    for place in senders.indices where senders[place].values.count > 1 {
      senders[place].values.sort { $0.first == $1.first ? $0.values < $1.values : $0.first < $1.first }
    }
  }

  /// The copies that came as a device's own; nil if there are none.
  var device: Sender? { senders.first(where: \.isDirect) }

  /// The first receipt of a copy that a device did not send; nil if there is none.
  var firstForwarded: Int64? { senders.filter { !$0.isDirect }.map(\.first).min() }

  /// The first receipt of a copy; nil if it is not known.
  var first: Int64? { senders.map(\.first).min().flatMap { $0 == .max ? nil : $0 } }

  /// Tells if another forwarder with a name has sent the conversion value of a sender's first copy, too. Whoever may be anybody
  /// confirms nothing.
  func confirm(_ sender: Sender) -> Bool {
    let (own, fields) = (sender.values[0].values, [UnsignedField.conversionValue, .coarseConversionValue])
    return senders.contains { other in
      other.name != nil && other.name != sender.name
        && other.values.contains { sent in fields.allSatisfy { sent.values[$0] == own[$0] } }
    }
  }

  /// Indicates that one forwarder with a name has sent all copies, so that what they have may be its own act.
  var areOneForwarder: Bool { senders.count == 1 && senders[0].name != nil }

  /// Indicates that the fields of copies of all senders are impossible, so that not one of them alone has edited them.
  var haveImpossibleFields: Bool { senders.allSatisfy(\.hasImpossibleFields) }
}

extension PostbackCopy {
  /// Orders copies by their sender, and then by their values.
  fileprivate func precedesBySender(_ other: PostbackCopy) -> Bool {
    if isDirect != other.isDirect { return isDirect }
    if !isDirect, forwarder != other.forwarder {
      guard let forwarder, let name = other.forwarder else { return forwarder == nil }
      return forwarder < name
    }
    return values < other.values
  }
}
