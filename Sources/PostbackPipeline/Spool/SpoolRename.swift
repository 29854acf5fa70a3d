internal import CLinux
internal import Glibc

/// How a file gets a name that nothing else has: never by replacing another file.
enum SpoolRename {
  /// In one step, where the file system can do that.
  case atOnce
  /// By a second name, and taking the first away: what file systems can do that do not know the other way.
  case byLink

  /// Renames; 0, or what `errno` says: `EEXIST` where the new name is taken.
  func callAsFunction(_ old: [CChar], to new: String) -> Int32 {
    if self == .atOnce {
      if unsafe renameat2(AT_FDCWD, old, AT_FDCWD, new, UInt32(CLINUX_RENAME_NOREPLACE)) == 0 { return 0 }
      guard errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP else { return errno }
    }
    return Self.link(old, new)
  }

  private static func link(_ old: [CChar], _ new: String) -> Int32 {
    if unsafe linkat(AT_FDCWD, old, AT_FDCWD, new, 0) != 0 {
      switch errno {
      // What a crash between the two steps leaves: the second of them is to be done.
      case EEXIST where isSame(old, new): break
      case EPERM, EOPNOTSUPP, ENOSYS, EMLINK: return withoutLinks(old, new)
      case let code: return code
      }
    }
    return unsafe unlink(old) == 0 ? 0 : errno
  }

  /// Directories have no second name, and in some file systems nothing has. Only this process puts files where `new` is.
  private static func withoutLinks(_ old: [CChar], _ new: String) -> Int32 {
    var status = stat()
    guard unsafe lstat(new, &status) != 0 else { return EEXIST }
    guard errno == ENOENT else { return errno }
    return unsafe rename(old, new) == 0 ? 0 : errno
  }

  private static func isSame(_ old: [CChar], _ new: String) -> Bool {
    var first = stat()
    var second = stat()
    guard unsafe lstat(old, &first) == 0, unsafe lstat(new, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }
}
