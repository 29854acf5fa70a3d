package import PostbackServer

/// The right of a session.
package enum ViewRole: String, CaseIterable, Sendable {
  /// Everything.
  case read
  /// Everything but amounts of money, and what follows from them.
  case readWithoutRevenue = "read_without_revenue"

  /// Indicates that amounts are shown.
  var seesRevenue: Bool { self == .read }
}

/// A session that a request belongs to.
struct ViewSession: Sendable {
  /// The right of the session.
  let role: ViewRole
  /// The digest of its cookie.
  let id: [UInt8]
  /// The digest of the token that it was begun with, which stands for the user.
  let user: [UInt8]
}

/// The token of a user, as its SHA-256 digest.
package struct ViewToken: Sendable, Equatable {
  /// The digest.
  let digest: [UInt8]
  /// The right that it gives.
  let role: ViewRole

  /// A token with its right.
  package init(digest: [UInt8], role: ViewRole) { (self.digest, self.role) = (digest, role) }

  /// The token that a configuration has.
  package init(_ user: ViewUser) {
    self.init(digest: user.tokenDigest, role: user.seesRevenue ? .read : .readWithoutRevenue)
  }
}
