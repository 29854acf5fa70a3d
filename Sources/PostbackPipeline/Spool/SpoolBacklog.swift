/// What waits in a spool: of the last scan what was not taken yet.
package struct SpoolBacklog: Hashable, Sendable {
  /// How many files wait to be taken.
  package let count: Int
  /// When the oldest of them was last changed, in milliseconds since 1970; nil where none waits. Of more than 1000 files
  /// a thousand are looked at, evenly spread over the names.
  package let oldest: Int64?
  /// How many files could not be put away and are left alone for a while.
  package let setAside: Int
}
