internal import ConversionModel

/// The users of an app, with what they did and paid over time.
package struct Population: Sendable {
  /// A session or an event of a user.
  package struct Step: Sendable {
    /// The seconds since the first launch.
    package let age: Int32
    /// The number of the event among those that are counted; -1 for others.
    package let event: Int16
    /// The revenue since the first launch, in millionths; below 0 where refunds exceed it.
    package let total: Int64
  }

  /// The steps of all users, one user after the other, in the order of time.
  private(set) var steps: [Step] = []
  /// The place in `steps` at which each user begins, and their end.
  private var starts: [Int] = [0]
  /// Evenly spread bits of each user, which deal the users to folds and to groups.
  private(set) var bits: [UInt64] = []
  /// The installs for which a user stands in each window: 0 where the window had not ended at the last row.
  private(set) var weights: [[Int]] = [[], [], []]
  /// The revenue of each window by user, in millionths, at least 0.
  private(set) var revenue: [[Int64]] = [[], [], []]
  /// The names of the events that are counted.
  package let events: [String]
  /// The currency of the revenue.
  package internal(set) var currency = ""
  /// The bundle id of the app, if the rows have one.
  package internal(set) var bundleID: String?
  /// The number of rows that were read.
  package internal(set) var rows = 0
  /// The rows and users that are left out.
  package internal(set) var leftOut = LeftOut()
  /// The users with rows.
  package private(set) var users = 0
  /// The latest row, in milliseconds since 1970.
  package internal(set) var lastReceived: Int64 = 0

  package init(counting events: [String]) { self.events = events }

  /// The groups in which users are drawn again for intervals.
  static let groupCount = 200

  /// The number of windows that had ended for some users.
  package var windowCount: Int { weights.prefix { $0.contains { $0 > 0 } }.count }

  /// The entries: users, and groups of installs without rows.
  var count: Int { bits.count }

  /// Returns the installs of a window that had ended.
  package func installs(_ window: Int) -> Int { weights[window].reduce(0, +) }

  /// The number of users with revenue in the first window.
  package var payers: Int { zip(revenue[0], weights[0]).count { $0 > 0 && $1 > 0 } }

  /// The number of users with revenue in a window that had ended.
  package var payersOfAnyWindow: Int {
    (0..<users).count { user in (0...2).contains { revenue[$0][user] > 0 && weights[$0][user] > 0 } }
  }

  func steps(of user: Int) -> ArraySlice<Step> { steps[starts[user]..<starts[user + 1]] }

  /// Tells if a user has an event that is counted.
  package func has(_ event: String) -> Bool {
    guard let number = events.firstIndex(of: event) else { return false }
    return steps.contains { Int($0.event) == number }
  }

  /// The group of a user, from which users are drawn again.
  func group(_ user: Int) -> Int { Int(bits[user] % UInt64(Self.groupCount)) }

  func fold(_ user: Int, of folds: Int) -> Int { Int((bits[user] / UInt64(Self.groupCount)) % UInt64(folds)) }

  /// Adds a user with steps in the order of time, of whom the first windows had ended at the last row.
  package mutating func add(_ own: [Step], bits: UInt64, finishedWindows: Int) {
    steps += own
    starts.append(steps.count)
    self.bits.append(bits)
    users += 1
    var (before, index): (Int64, Int) = (0, 0)
    for window in 0...2 {
      var last = before
      while index < own.count, own[index].age < ModelWindow.spans[window].upperBound {
        last = own[index].total
        index += 1
      }
      let amount = last - before
      before = last
      revenue[window].append(max(amount, 0))
      weights[window].append(window < finishedWindows ? 1 : 0)
      if amount < 0, window < finishedWindows {
        leftOut.refundedWindows += 1
        leftOut.refundedMillionths += amount
      }
    }
  }

  /// Adds installs without rows, spread evenly over folds and groups. Of a later window as many have ended as of users.
  package mutating func add(idleInstalls: Int) {
    guard idleInstalls > 0, users > 0 else { return }
    let finished = (0...2).map { installs($0) }
    for group in 0..<Self.groupCount {
      starts.append(steps.count)
      bits.append(UInt64(group) + UInt64(Self.groupCount) * UInt64(group))
      for window in 0...2 {
        let all = idleInstalls * finished[window] / max(finished[0], 1)
        weights[window].append((all * (group + 1)) / Self.groupCount - (all * group) / Self.groupCount)
        revenue[window].append(0)
      }
    }
  }
}
