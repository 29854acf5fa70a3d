internal import SKAdNetwork

/// The cost of a forgery for `postback run`, compared with a valid postback. An attacker can send forgeries to slow it
/// down.
struct ForgeryBenchmark {
  let pipeline: PipelineBenchmark
  /// The folder for dumps.
  let folder: String
  /// The number of postbacks in each dump.
  let count: Int

  /// Measures the rate of forgeries as a share of the rate of valid postbacks with the same keys: of 4.0, of 2.0, and
  /// of 4.0 with twenty further keys and a field that may have been filled in.
  func measures() async throws -> [Measure] {
    let (valid, edited) = try await (dump(.v4_0), dump(.v4_0, areEdited: true))
    let further = try valid.withFurtherKeys(20)
    var filled = try edited.zeroFilled(to: "\(folder)/zero-filled.jsonl")
    filled.keys = further.keys
    var measures = try pair("forged.4_0", "4.0", valid, edited)
    measures += try await pair("forged.2_0", "2.0", dump(.v2_0), dump(.v2_0, areEdited: true))
    measures += try pair("forged.twenty_keys", "4.0, twenty further keys, a field filled in", further, filled)
    return measures
  }

  private func dump(_ version: Version, areEdited: Bool = false) async throws -> Dump {
    try await Dump.generate(count, of: .skAdNetwork(version), areEdited: areEdited, in: folder)
  }

  /// Measures valid postbacks and forgeries in turn, and keeps the best of three runs of each.
  private func pair(_ id: String, _ title: String, _ valid: Dump, _ forged: Dump) throws -> [Measure] {
    var best: (valid: Measure, forged: Measure)?
    for _ in 0..<3 {
      let run = try (
        valid: pipeline.measure(valid, "valid", format: "jsonl", jobs: Machine.cores),
        forged: pipeline.measure(forged, "forged", format: "jsonl", jobs: Machine.cores)
      )
      guard let known = best else {
        best = run
        continue
      }
      if run.valid.value > known.valid.value { best?.valid = run.valid }
      if run.forged.value > known.forged.value { best?.forged = run.forged }
    }
    guard var (ofValid, ofForged) = best else { return [] }
    (ofValid.id, ofValid.title) = ("\(id).valid", "\(title): valid")
    (ofForged.id, ofForged.title) = (id, "\(title): signed field edited")
    let share = ofForged.value / ofValid.value * 100
    return [
      ofValid, ofForged, Measure("\(id).rate_kept", "  rate of forgeries, of that of valid ones", share, .percent),
    ]
  }
}
