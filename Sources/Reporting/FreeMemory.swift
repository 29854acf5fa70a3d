internal import CMalloc

/// The memory of the process that is free, but not given back to the system.
package enum FreeMemory {
  /// Gives it back, between results of different kinds. A large result needs several times as much memory while it is made as
  /// afterwards, and leaves free pieces between what stays, so that without this a process that lives long grows for hours.
  package static func giveBack() { _ = malloc_trim(0) }
}
