internal import SKAdNetwork

/// The cost of a forgery for `postback run`, compared with a valid postback. An attacker can send forgeries to slow it
/// down.
struct ForgeryBenchmark {
  let pipeline: PipelineBenchmark
  /// The number of postbacks in each dump.
  let count: Int

  /// Measures the rate of forgeries as a share of the rate of valid postbacks with the same keys: of 4.0, of 2.0, and
  /// of 4.0 with twenty further keys and a field that may have been filled in.
  func measures() throws -> [Measure] {
    let (valid, edited) = try (dump(.v4_0), dump(.v4_0, areEdited: true))
    let further = try valid.withFurtherKeys(20)
    var filled = try edited.zeroFilled(to: "\(pipeline.folder)/zero-filled.jsonl")
    filled.keys = further.keys
    var measures = try pair("forged.4_0", "4.0", valid, edited, turns: 5)
    measures += try pair("forged.2_0", "2.0", dump(.v2_0), dump(.v2_0, areEdited: true), turns: 3)
    measures += try pair("forged.twenty_keys", "4.0, twenty further keys, a field filled in", further, filled, turns: 3)
    return measures
  }

  private func dump(_ version: Version, areEdited: Bool = false) throws -> Dump {
    let (folder, postback) = (pipeline.folder, pipeline.postback)
    return try Dump.generate(count, of: .skAdNetwork(version), areEdited: areEdited, in: folder, by: postback)
  }

  /// Measures valid postbacks and forgeries in turn; the figures are the medians.
  private func pair(_ id: String, _ title: String, _ valid: Dump, _ forged: Dump, turns: Int) throws -> [Measure] {
    var runs: (valid: [Measure], forged: [Measure]) = ([], [])
    for _ in 0..<turns {
      runs.valid.append(try pipeline.measure(valid, "valid", format: "jsonl", jobs: Machine.cores, runs: 1))
      runs.forged.append(try pipeline.measure(forged, "forged", format: "jsonl", jobs: Machine.cores, runs: 1))
    }
    func median(_ measures: [Measure]) -> Measure { measures.sorted { $0.value < $1.value }[measures.count / 2] }
    var (ofValid, ofForged) = (median(runs.valid), median(runs.forged))
    (ofValid.id, ofValid.title) = ("\(id).valid", "\(title): valid")
    (ofForged.id, ofForged.title) = (id, "\(title): signed field edited")
    let share = ofForged.value / ofValid.value * 100
    return [
      ofValid, ofForged, Measure("\(id).rate_kept", "  rate of forgeries, of that of valid ones", share, .percent),
    ]
  }
}
