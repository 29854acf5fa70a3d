internal import CMalloc

/// The memory of the process that is free, but not given back to the system.
enum FreeMemory {
  /// Gives it back. The sections of the report need several times as much memory while they are made as afterwards, and each making leaves
  /// free pieces between what stays, so that without this the process grows for hours.
  static func giveBack() { _ = malloc_trim(0) }
}
