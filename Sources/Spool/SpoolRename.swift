internal import CLinux
internal import Glibc

/// A method of giving a file a new name without replacing another file.
enum SpoolRename {
  /// In one step, with renameat2(2). File systems without support fall back to `byLink`.
  case atOnce
  /// In two steps for file systems that cannot do it in one: a hard link with the new name, then removal of the old
  /// name.
  case byLink

  /// Renames a file. Returns 0 or `errno`: `EEXIST` if the new name is taken.
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
      // A crash between the two steps left both names on one file. Only the second step is to be done.
      case EEXIST where isSame(old, new): break
      case EPERM, EOPNOTSUPP, ENOSYS, EMLINK: return withoutLinks(old, new)
      case let code: return code
      }
    }
    return unsafe unlink(old) == 0 ? 0 : errno
  }

  /// Renames directories, and files where hard links are not supported. Looking first is safe because only this process
  /// puts files into the folder of `new`.
  private static func withoutLinks(_ old: [CChar], _ new: String) -> Int32 {
    var status = stat()
    guard unsafe lstat(new, &status) != 0 else { return EEXIST }
    guard errno == ENOENT else { return errno }
    return unsafe rename(old, new) == 0 ? 0 : errno
  }

  /// Returns true if both names are names of one file.
  static func isSame(_ old: [CChar], _ new: String) -> Bool {
    var first = stat()
    var second = stat()
    guard unsafe lstat(old, &first) == 0, unsafe lstat(new, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }
}
