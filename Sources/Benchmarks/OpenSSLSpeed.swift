/// ECDSA P-256 verifications a second, as `openssl speed` counts them.
struct OpenSSLSpeed {
  /// On one core.
  var oneCore: Double
  /// On all cores at once.
  var allCores: Double

  /// Runs `openssl speed` on one core, then on all, for `seconds` seconds each.
  static func measure(seconds: Int, cores: Int) throws -> OpenSSLSpeed {
    let speed = ["openssl", "speed", "-seconds", "\(seconds)"]
    let oneCore = try verifications(ProcessRun(speed + ["ecdsap256"]))
    let allCores = try verifications(ProcessRun(speed + ["-multi", "\(cores)", "ecdsap256"]))
    return OpenSSLSpeed(oneCore: oneCore, allCores: allCores)
  }

  /// Reads the last column of the row ` 256 bits ecdsa (nistp256)   0.0000s   0.0001s  35908.0  12924.0`.
  private static func verifications(_ run: ProcessRun) throws -> Double {
    let row = run.output.split(separator: "\n").last { $0.contains("ecdsa (nistp256)") }
    guard let rate = row?.split(separator: " ").last.flatMap({ Double($0) }), rate > 0 else {
      throw BenchmarkFailure("openssl speed printed no row for nistp256 that is understood:\n\(run.output)")
    }
    return rate
  }

  /// The mean of a measurement before and one after.
  static func mean(_ before: OpenSSLSpeed, _ after: OpenSSLSpeed) -> OpenSSLSpeed {
    OpenSSLSpeed(
      oneCore: (before.oneCore + after.oneCore) / 2,
      allCores: (before.allCores + after.allCores) / 2
    )
  }
}
