package import SKAdNetwork

/// The numbers of rejects by class.
package struct RejectCounts: Sendable, Equatable {
  /// The further copies of accepted postbacks.
  package var copies = 0
  /// The records that are damaged, of an unknown kind, tests or not for this receiver.
  package var noise = 0
  /// The records that are suspicious.
  package var suspicious = 0

  /// Creates counts of no rejects.
  package init() {}

  /// All rejects.
  package var total: Int { copies + noise + suspicious }

  /// The rejects of a class.
  package subscript(_ class: RejectClass) -> Int {
    switch `class` {
    case .copies: copies
    case .noise: noise
    case .suspicious: suspicious
    }
  }

  /// Adds rejects with a code. A code that is not known counts as noise.
  package mutating func add(_ code: String, _ count: Int = 1) { add(RejectCode(rawValue: code), count) }

  /// Adds rejects with a code; nil for one that is not known, which counts as noise.
  package mutating func add(_ code: RejectCode?, _ count: Int = 1) {
    switch code?.rejectClass {
    case .copies: copies += count
    case .suspicious: suspicious += count
    case .noise, nil: noise += count
    }
  }

  /// Adds the counts of other rejects.
  package static func += (left: inout Self, right: Self) {
    left.copies += right.copies
    left.noise += right.noise
    left.suspicious += right.suspicious
  }
}

/// The numbers of accepted postbacks and of rejects by class.
package struct OutcomeCounts: Sendable, Equatable {
  /// The accepted postbacks.
  package var accepted: Int
  /// The rejects by class.
  package var rejects: RejectCounts

  /// Takes the counts; none unless they are given.
  package init(accepted: Int = 0, rejects: RejectCounts = RejectCounts()) {
    (self.accepted, self.rejects) = (accepted, rejects)
  }

  /// All records.
  package var total: Int { accepted + rejects.total }

  /// Adds the counts of other records.
  package static func += (left: inout Self, right: Self) {
    left.accepted += right.accepted
    left.rejects += right.rejects
  }
}
