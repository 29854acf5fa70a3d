import Base
@testable import DurableFiles
@testable import Ledger
@testable import PostbackVerification
@testable import Tables
import ConversionModel
import Foundation
import JSON
import TestSupport
import Testing

@testable import PostbackPipeline

@Suite struct `Written tables` {
  /// A temporary folder.
  final class Folder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "postback-\(UUID().uuidString)").path
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// All files of the tables, including hidden ones.
    var files: [String] {
      (FileManager.default.subpaths(atPath: path) ?? []).filter { $0.contains("part-") }.sorted()
    }

    /// Opens the tables in the folder, and their state.
    func open(_ formats: Set<TableFormat>, trickleInterval: Duration = .zero) throws -> Opened {
      var options = TableOptions(folder: path, formats: formats)
      options.trickleInterval = trickleInterval
      options.commitInterval = max(options.commitInterval, trickleInterval)
      let state = try PipelineState("\(path)/_state", settings: options.settings)
      return Opened(tables: try TableWriter(options, state), state: state)
    }

    /// Runs a pipeline into the tables in the folder.
    func run(_ pipeline: Pipeline, _ formats: Set<TableFormat>) async throws {
      let opened = try open(formats)
      _ = try await pipeline.run(continuing: opened.state, into: opened.tables)
    }

    /// Tables with their state, for one run.
    struct Opened: ~Copyable {
      let tables: TableWriter
      let state: PipelineState
    }

    func text(_ file: String) -> String {
      String(decoding: FileManager.default.contents(atPath: path + "/" + file) ?? Data(), as: UTF8.self)
    }
  }

  private func pipeline(_ fixture: String) throws -> Pipeline {
    Pipeline(inputs: try InputFile.enumerate([Fixtures.path(fixture)]), trust: try TrustPolicy.apple())
  }

  private let all: Set<TableFormat> = [.jsonLines, .csv]

  @Test func `become visible only when they are complete`() async throws {
    let folder = Folder()
    let pipeline = try pipeline("postbacks")
    let opened = try folder.open(all)
    var whileWriting: [String] = []
    let tally = try await pipeline.run(continuing: opened.state, into: opened.tables) { _ in whileWriting = folder.files
    }
    #expect(whileWriting.count >= 4 && whileWriting.allSatisfy { $0.hasSuffix(".inprogress") })
    #expect(
      folder.files == [
        "skan_events/part-00000001.csv", "skan_events/part-00000001.jsonl", "skan_postbacks/part-00000001.csv",
        "skan_postbacks/part-00000001.jsonl", "skan_rejects/part-00000001.csv", "skan_rejects/part-00000001.jsonl",
      ]
    )
    #expect(tally.read == tally.accepted + tally.rejected)
    #expect((tally.read, tally.accepted) == (15, 10))
  }

  @Test func `that the state does not know are not changed`() async throws {
    let folder = Folder()
    let pipeline = try pipeline("postbacks")
    try await folder.run(pipeline, all)
    try FileManager.default.removeItem(atPath: folder.path + "/_state")
    let before = folder.files.map(folder.text)
    let failure = #expect(throws: FileFailure.self) { _ = try folder.open(all) }
    #expect(failure?.kind == .incompatible)
    // Of a version of the program that gave outputs no id.
    try FileManager.default.removeItem(atPath: folder.path + "/_output_id")
    let older = #expect(throws: FileFailure.self) { _ = try folder.open(all) }
    #expect(older?.kind == .cannotCreate)
    #expect(folder.files.map(folder.text) == before)
  }

  @Test func `keep the formats in which they were started`() async throws {
    let folder = Folder()
    let pipeline = try pipeline("postbacks")
    try await folder.run(pipeline, [.jsonLines])
    let failure = #expect(throws: FileFailure.self) { _ = try folder.open([.csv]) }
    #expect(failure?.kind == .incompatible)
    #expect(folder.files.count == 3)
  }

  @Test func `are locked by one process, also with another state`() async throws {
    let folder = Folder()
    let pipeline = try pipeline("postbacks")
    let options = TableOptions(folder: folder.path, formats: all)
    let opened = try folder.open(all)
    #expect(throws: FileFailure.self) { _ = try folder.open(all) }
    let other = try PipelineState("\(folder.path)/other", settings: options.settings)
    let failure = #expect(throws: FileFailure.self) { try TableWriter(options, other) }
    #expect(failure?.kind == .locked)
    _ = try await pipeline.run(continuing: opened.state, into: opened.tables)
    #expect(
      folder.files.count == 6 && folder.text("skan_postbacks/part-00000001.jsonl").split(separator: "\n").count == 10
    )
  }

  /// A source that gives its inputs, each followed by a pause, and then ends.
  private final class Trickle: InputSource {
    private var inputs: ArraySlice<InputFile>
    /// The number of calls of `next()`.
    private(set) var asked = 0

    init(_ inputs: [InputFile]) { self.inputs = inputs[...] }

    func next() throws(PipelineFailure) -> NextInput {
      asked += 1
      guard !asked.isMultiple(of: 2) else { return .idle }
      guard let input = inputs.popFirst() else { return .end }
      do { return .input(try OpenInput(input)) } catch { throw .read(error) }
    }
  }

  @Test(arguments: [1, 4]) func `contain everything that was read before a pause of the input`(
    jobs: Int
  ) async throws {
    let folder = Folder()
    var pipeline = try pipeline("postbacks")
    pipeline.jobs = jobs
    let opened = try folder.open(all)
    let source = Trickle(pipeline.inputs)
    var ended = 0
    var pauses = 0
    _ = try await pipeline.run(
      source,
      continuing: opened.state,
      into: opened.tables,
      committed: { ended += $0.ends.count },
      idle: { due in
        pauses += 1
        #expect(due == nil)
        #expect(ended == pauses)
        #expect(source.asked == 2 * pauses)
      }
    )
    #expect(pauses == pipeline.inputs.count && pauses > 3)
  }

  @Test func `share a commit where inputs follow each other faster than commits may`() async throws {
    let folder = Folder()
    var pipeline = try pipeline("postbacks")
    // The first comes again while the rows of others wait for their commit.
    pipeline.inputs.append(pipeline.inputs[0])
    let start = ContinuousClock.now
    var ends: [Int] = []
    var due: [ContinuousClock.Instant?] = []
    func run(_ pipeline: Pipeline) async throws {
      ends = []
      due = []
      let opened = try folder.open(all, trickleInterval: .seconds(3600))
      let tables = opened.tables
      func end(_ commit: TableWriter.Commit) { ends.append(commit.ends.count) }
      let source = Trickle(pipeline.inputs)
      _ = try await pipeline.run(source, continuing: opened.state, into: tables, committed: end) { due.append($0) }
      #expect(tables.ledger.commits == 2)
    }
    try await run(pipeline)
    #expect(ends == [1, pipeline.inputs.count - 1])
    #expect(due.first == .some(nil) && due.count == pipeline.inputs.count)
    let times = due.compactMap(\.self)
    #expect(times.count == due.count - 1 && Set(times).count == 1)
    #expect(times.allSatisfy { $0 - start > .seconds(3599) })
    // Nothing changes by inputs that are known, and so nothing keeps them from being put away.
    try await run(pipeline)
    #expect(due.allSatisfy { $0 == nil })
    #expect(ends == pipeline.inputs.map { _ in 1 })
  }

  @Test func `have the same bytes for any number of jobs and any batch size`() async throws {
    var results: [[String]] = []
    for (jobs, records) in [(1, 4096), (2, 4096), (7, 1), (2, 3)] {
      let folder = Folder()
      var pipeline = try pipeline("postbacks")
      pipeline.inputs += try InputFile.enumerate([Fixtures.path("hostile"), Fixtures.path("forms")])
      pipeline.receivedAt = ReceivedAtRule(time: Timestamp("2026-03-10T00:00:00Z"))
      pipeline.settings.value = PipelineSettings(
        trust: pipeline.settings.value.trust,
        models: try Models(loading: [Fixtures.path("models")]),
        limits: ReadLimits(batchRecords: records)
      )
      pipeline.jobs = jobs
      let opened = try folder.open(all)
      let tally = try await pipeline.run(continuing: opened.state, into: opened.tables)
      #expect(tally.read == tally.accepted + tally.rejected)
      results.append(folder.files.map(folder.text))
    }
    #expect(results.dropFirst().allSatisfy { $0 == results[0] })
  }

  @Test func `keep the raw bytes of every reject, in base64 if they are not text`() async throws {
    let folder = Folder()
    let pipeline = try pipeline("hostile")
    let opened = try folder.open(all)
    _ = try await pipeline.run(continuing: opened.state, into: opened.tables)
    var kinds: Set<String> = []
    #expect(!folder.text("skan_rejects/part-00000001.csv").utf8.contains(0))
    for line in folder.text("skan_rejects/part-00000001.jsonl").split(separator: "\n") {
      let row = Object(String(line))
      let isText = row.string("raw_body") != nil
      #expect(isText != (row.string("raw_body_base64") != nil))
      kinds.insert(isText ? "text" : "base64")
      // What came in base64 is text, whatever it was before.
      let cameAsText = row.string("source_file")?.hasSuffix("envelope-base64.jsonl") ?? false
      if row.string("reject_code") == "invalid_utf8", !cameAsText { #expect(!isText) }
    }
    #expect(kinds == ["text", "base64"])
  }
}
