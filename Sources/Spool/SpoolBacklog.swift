package import DurableFiles
internal import Glibc

/// The backlog of a spool: the files in its folder of waiting files, those included that are being read.
///
/// It is counted from the folder, so it is right in every state of a consumer, and without one.
package struct SpoolBacklog: Hashable, Sendable {
  /// The number of files that wait until their content is committed.
  package let count: Int
  /// The oldest modification time among them, in milliseconds since 1970; nil if no file waits or none can be looked
  /// at. In a backlog of more than 1000 files only the first by name and a sample of the others are looked at.
  package let oldest: Int64?
  /// The number of files that are there and do not wait, because they were read and cannot be put away.
  package let notPutAway: Int

  /// Creates a backlog, by default without files.
  package init(count: Int = 0, oldest: Int64? = nil) { (self.count, self.oldest, notPutAway) = (count, oldest, 0) }

  /// Counts the files that wait in the spool at `path`, without those that were read and cannot be put away. Never blocks a
  /// consumer.
  package init(of path: String, without names: Set<String> = []) throws(FileFailure) {
    var status = stat()
    // Without Maildir's folders producers write into the spool itself.
    let hasNew = unsafe stat("\(path)/new", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    let folder = hasNew ? "\(path)/new" : path
    var listing = try SpoolListing.reading(folder, skipsFolders: true)
    notPutAway = listing.remove(names)
    count = listing.count
    oldest = listing.sample(of: Self.sampleSize).compactMap { name in
      var status = stat()
      return unsafe lstat(name.path(in: folder), &status) == 0 ? FileStatus.modified(status) : nil
    }.min()
  }

  private static let sampleSize = 1000
}
