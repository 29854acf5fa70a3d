/// The backlog of a spool: the files that the last scan found and that are not opened yet.
package struct SpoolBacklog: Hashable, Sendable {
  /// The number of files that wait to be opened.
  package let count: Int
  /// The oldest modification time among them, in milliseconds since 1970; nil if no file waits or none can be looked
  /// at. In a backlog of more than 1000 files only a sample is looked at: at most 1000, evenly spread over the names.
  package let oldest: Int64?
  /// The number of files that could not be moved out of the way and are left alone for a while. Not part of `count`.
  package let setAside: Int
}
