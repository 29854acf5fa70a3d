import Foundation

/// The library that sets the clock of a process.
enum FakeClock {
  /// The path of libfaketime; nil if it is not installed.
  static let library: String? = ["x86_64-linux-gnu", "aarch64-linux-gnu"].lazy
    .map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }
    .first { FileManager.default.fileExists(atPath: $0) }
}
