internal import CMalloc

/// The settings of the C library for memory that is free.
enum HeapSettings {
  /// Keeps free memory. In a run, batches of a megabyte come and go all the time, whose memory need not be cleared anew.
  static func keepFreeMemory() { set(mapped: 64 << 20, trimmed: 256 << 20) }

  /// Gives free memory back to the system. Reports have one large result after the other, whose sizes differ.
  static func giveFreeMemoryBack() { set(mapped: 5 << 20, trimmed: 16 << 20) }

  /// Lets all threads share one heap. A process that lives long keeps what each of its heaps once needed.
  static func shareOneHeap() { _ = mallopt(M_ARENA_MAX, 1) }

  private static func set(mapped: Int32, trimmed: Int32) {
    _ = mallopt(M_MMAP_THRESHOLD, mapped)
    _ = mallopt(M_TRIM_THRESHOLD, trimmed)
  }
}
