internal import PostbackCopies

/// The senders of all copies of a postback, with the values that each of them sent.
struct PostbackSenders {
  /// A sender with its copies. Those of devices are one sender, and so are those of forwarders without a name.
  struct Sender {
    let isDirect: Bool
    /// The name of the forwarder; nil for devices and for senders that are not known.
    let name: String?
    /// The different values, each with the time of its first receipt; the greatest number if it is not known.
    fileprivate(set) var values: [(values: UnsignedValues, first: Int64)] = []
    /// The number of copies, and the times of receipt of the first and the last one.
    fileprivate(set) var count = 0
    fileprivate(set) var first = Int64.max
    fileprivate(set) var last = Int64.min

    fileprivate mutating func add(_ sent: UnsignedValues, _ count: Int, first: Int64, last: Int64) {
      self.count += count
      (self.first, self.last) = (min(self.first, first), max(self.last, last))
      if let place = values.firstIndex(where: { $0.values == sent }) {
        values[place].first = min(values[place].first, first)
      } else {
        values.append((sent, first))
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

  private(set) var senders: [Sender] = []

  /// Adds copies with the same content from the same sender.
  mutating func add(
    _ values: UnsignedValues,
    by name: String?,
    isDirect: Bool,
    count: Int = 1,
    first: Int64,
    last: Int64
  ) {
    let name = isDirect ? nil : name
    var place = senders.firstIndex { $0.isDirect == isDirect && $0.name == name }
    if place == nil {
      senders.append(Sender(isDirect: isDirect, name: name))
      place = senders.count - 1
    }
    if let place { senders[place].add(values, count, first: first, last: last) }
  }

  /// The copies that came as a device's own; nil if there are none.
  var device: Sender? { senders.first(where: \.isDirect) }

  /// The first receipt of a copy that a device did not send; nil if there is none.
  var firstForwarded: Int64? { senders.filter { !$0.isDirect }.map(\.first).min() }
}
