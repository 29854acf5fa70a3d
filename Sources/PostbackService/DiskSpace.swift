internal import DurableFiles
internal import Glibc
internal import Metrics

/// A directory of the service whose disk can become full.
package enum DiskPlace: String, CaseIterable, Sendable {
  case spool
  /// The state of the consumer.
  case state
  /// The tables of the consumer.
  case output
}

/// The room on the disk of a directory.
struct DiskSpace: Equatable, Sendable {
  let freeBytes: Int64
  let totalBytes: Int64

  /// Below this number of free bytes a disk counts as full.
  private static let least: Int64 = 1 << 20

  /// Indicates that the disk has almost no room left.
  var isFull: Bool { freeBytes < Self.least }

  /// Returns the room on the disk of a directory, for users without privileges; nil if the system does not report it.
  static func of(_ path: String) -> DiskSpace? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
    let block = Int64(clamping: status.f_frsize)
    return DiskSpace(
      freeBytes: Int64(clamping: status.f_bavail).multipliedReportingOverflow(by: block).partialValue,
      totalBytes: Int64(clamping: status.f_blocks).multipliedReportingOverflow(by: block).partialValue
    )
  }

  /// Writes a file of 1 MiB in a directory, makes it durable, and removes it. Throws if that is not possible. An absent
  /// directory is not tested.
  static func test(_ path: String) throws(FileFailure) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 || errno != ENOENT else { return }
    let file = try UnfinishedFile("\(path)/disk-test")
    try file.write([UInt8](repeating: 0, count: Int(least)))
    try file.synchronize()
  }
}

extension Exposition {
  /// Adds the room on the disks. A disk is full if it has almost no room, or if it is in `full`, because a write failed.
  mutating func add(_ disks: [DiskPlace: DiskSpace], full: Set<DiskPlace>, of places: [DiskPlace]) {
    begin("postback_disk_full", .gauge, "1 if a write to the disk failed for want of room, or less than 1 MiB is free.")
    for place in places {
      add(full.contains(place) || disks[place]?.isFull == true ? 1 as Int64 : 0, ["place": place.rawValue])
    }
    begin("postback_disk_free_bytes", .gauge, "Free bytes of the disk, for users without privileges.")
    for place in places { if let disk = disks[place] { add(disk.freeBytes, ["place": place.rawValue]) } }
    begin("postback_disk_size_bytes", .gauge, "Size of the disk in bytes.")
    for place in places { if let disk = disks[place] { add(disk.totalBytes, ["place": place.rawValue]) } }
  }
}
