internal import Base
internal import PostbackVerification
internal import Tampering
internal import JSON
internal import SKAdNetwork
internal import SyntheticTraffic

/// The share of edits that the diagnosis recovers, its findings on forgeries, and its duration.
struct DiagnosisBenchmark {
  /// The number of edited lines of each kind.
  let count: Int
  /// The number of random forgeries.
  let forgeries: Int

  /// The counts of the edited lines of one kind and field.
  private struct Score {
    var lines = 0
    var searchable = 0
    var recovered = 0
    var wrong = 0
  }

  /// Runs all measures and passes each line of the table to `say` as soon as it is known. Throws if the required share
  /// is not reached.
  func run(_ say: (String) -> Void) async throws {
    say("KIND AND FIELD".padded(to: 46) + "LINES  SEARCHABLE  RECOVERED  WRONG")
    var total = Score()
    for kind in EditKind.allCases {
      for (name, score) in try await scores(kind).sorted(by: { $0.key < $1.key }) {
        say(Self.row("\(kind.rawValue) \(name)", score))
        total.lines += score.lines
        total.searchable += score.searchable
        total.recovered += score.recovered
        total.wrong += score.wrong
      }
    }
    say(Self.row("all", total))
    say("recovered of the searchable: \((100 * Double(total.recovered) / Double(max(total.searchable, 1))).text(2)) %")
    for format: PostbackFormat in [.skAdNetwork(.v2_0), .skAdNetwork(.v3_0), .skAdNetwork(.v4_0), .adAttributionKit] {
      say(try await worstCase(format))
    }
    let (recovered, impossible) = try await recoveredForgeries()
    say("recovered of \(forgeries) forgeries: \(recovered) (\(impossible) shown at once to be signed by no key)")
    guard total.recovered * 100 >= total.searchable * 99, total.wrong == 0, recovered == 0 else {
      throw BenchmarkFailure("fewer than 99 % were recovered, or a recovery was wrong")
    }
  }

  private static func row(_ name: String, _ score: Score) -> String {
    func number(_ number: Int, _ width: Int) -> String { "\(number)".padded(to: width, atEnd: false) }
    return name.padded(to: 44) + number(score.lines, 7) + number(score.searchable, 12) + number(score.recovered, 11)
      + number(score.wrong, 7)
  }

  /// A generated dump with its truth file.
  private struct Case {
    var trust: TrustPolicy
    var lines: [[UInt8]]
    var truth: [JSONValue]

    init(_ mix: Mix, _ count: Int) async throws {
      let made = try await Dump.lines(mix, count)
      trust = try TrustPolicy.apple(and: made.keys.trusted)
      lines = made.lines
      truth = try made.truth.map { try JSONValue(parsing: $0) }
    }
  }

  private func scores(_ kind: EditKind) async throws -> [String: Score] {
    let formats: [(PostbackFormat, Double)] = [
      (.skAdNetwork(.v4_0), 6), (.skAdNetwork(.v3_0), 2), (.skAdNetwork(.v2_2), 1), (.skAdNetwork(.v2_1), 1),
      (.skAdNetwork(.v2_0), 1), (.skAdNetwork(.v1_0), 1), (.adAttributionKit, 4),
    ]
    let mix = Mix(formats: Weights(formats), shares: [.edited: 0.5, .zeroFilled: 0.02], editKinds: [kind])
    let made = try await Case(mix, 2 * count)
    var context = DiagnosisContext()
    var known = Set<String>()
    var edited: [(record: [UInt8], truth: JSONValue)] = []
    for (line, truth) in zip(made.lines, made.truth) {
      if truth.text("outcome") == "accepted" {
        context.addGenuine(record: line)
        known.formUnion(Self.identifiers(in: line))
      } else {
        edited.append((line, truth))
      }
    }
    let diagnoser = try Diagnoser(made.trust, context: context)
    let diagnoses = try await diagnoser.diagnose(edited.map(\.record), jobs: Machine.cores)
    var scores: [String: Score] = [:]
    for (diagnosis, (_, truth)) in zip(diagnoses, edited) {
      let name =
        kind == .pair
        ? "" : truth.text("version") == "aak" ? "aak \(truth.text("field") ?? "")" : truth.text("field") ?? ""
      var score = scores[name, default: Score()]
      score.lines += 1
      if Self.isSearchable(truth, known) { score.searchable += 1 }
      if Self.isRight(diagnosis, truth) {
        score.recovered += Self.isSearchable(truth, known) ? 1 : 0
      } else if diagnosis.recovery != nil {
        score.wrong += 1
      }
      scores[name] = score
    }
    return scores
  }

  /// Tells if the search can find the original values. A transaction identifier can be any value, and an app id must
  /// have been seen elsewhere in the dump.
  private static func isSearchable(_ truth: JSONValue, _ known: Set<String>) -> Bool {
    guard truth.text("further_field") == nil, let original = truth.text("original"), let edited = truth.text("edited")
    else { return true }
    switch truth.text("field").flatMap({ Field(name: $0) }) {
    case .transactionID, .postbackIdentifier:
      return original.lowercased() == edited.lowercased() || edited.contains("%") || edited.contains(" ")
    case .appID, .advertisedItemIdentifier, .sourceAppID, .publisherItemIdentifier: return known.contains(original)
    default: return true
    }
  }

  private static func isRight(_ diagnosis: Diagnosis, _ truth: JSONValue) -> Bool {
    guard truth.text("field") != Field.attributionSignature.name, truth.text("field") != Field.jwsString.name else {
      return diagnosis.code == "reencoded"
    }
    guard case .recovered(let recovery) = diagnosis.finding else { return false }
    let found = Set(recovery.edits.map { [$0.field.name, $0.original, $0.arrived] })
    var expected: Set<[String?]> = [["field", "original", "edited"].map(truth.text)]
    if truth.text("further_field") != nil {
      expected.insert(["further_field", "further_original", "further_edited"].map(truth.text))
    }
    return found == expected
  }

  /// Returns the app ids in a line.
  private static func identifiers(in line: [UInt8]) -> [String] {
    var identifiers: [String] = []
    var objects = [try? JSONValue(parsing: line)]
    if let parts = objects[0]?.text("jws-string")?.split(separator: "."), parts.count == 3 {
      var payload: [UInt8] = []
      if Base64.url.decode(Array(parts[1].utf8).span, appendingTo: &payload) {
        objects.append(try? JSONValue(parsing: payload))
      }
    }
    for object in objects {
      for field in [Field.appID, .sourceAppID, .advertisedItemIdentifier, .publisherItemIdentifier] {
        if let id = object?.text(field.name) { identifiers.append(id) }
      }
    }
    return identifiers
  }

  private func recoveredForgeries() async throws -> (recovered: Int, impossible: Int) {
    let formats: [(PostbackFormat, Double)] = [
      (.skAdNetwork(.v4_0), 6), (.skAdNetwork(.v3_0), 2), (.skAdNetwork(.v2_1), 1), (.skAdNetwork(.v2_0), 1),
      (.adAttributionKit, 4),
    ]
    let made = try await Case(Mix(formats: Weights(formats), shares: [.forged: 1]), forgeries)
    let diagnoser = try Diagnoser(made.trust, budget: 2000)
    let diagnoses = try await diagnoser.diagnose(made.lines, jobs: Machine.cores)
    let impossible = diagnoses.count { $0.finding == .noVariantFound(.impossibleSignature) }
    return (diagnoses.count { $0.recovery != nil }, impossible)
  }

  /// Returns the longest time that one forged postback of the format takes, in a sentence.
  private func worstCase(_ format: PostbackFormat) async throws -> String {
    let made = try await Case(Mix(formats: Weights([(format, 1)]), shares: [.forged: 1]), 40)
    var longest = 0.0
    var tried = 0
    for record in made.lines {
      let start = ContinuousClock.now
      let diagnosis = try Diagnoser(made.trust).diagnose(record)
      longest = max(longest, (ContinuousClock.now - start) / .seconds(1))
      tried = max(tried, diagnosis.tried)
    }
    return "longest of 40 forged \(format.name): \(longest.text(2)) s, \(tried) variants"
  }
}

extension JSONValue {
  /// Returns the text of a member; nil if it is null or absent.
  fileprivate func text(_ name: String) -> String? {
    guard case .object(let members) = self else { return nil }
    switch members.first(where: { $0.key == name })?.value {
    case .string(let text), .number(let text): return text
    case .bool(let value): return "\(value)"
    default: return nil
    }
  }
}
