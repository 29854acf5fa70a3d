import Base
@testable import Ledger
@testable import PostbackVerification
@testable import Tables
import ConversionModel
import Foundation
import SKAdNetwork
import TestSupport
import Testing

@testable import PostbackPipeline

/// A folder with an input, tables and a state.
private final class Site {
  let folder = `Written tables`.Folder()
  let input: String
  var options: TableOptions

  init() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    input = folder.path + "/in.jsonl"
    options = TableOptions(folder: folder.path + "/out", formats: [.jsonLines, .csv])
    options.commitInterval = .zero
    options.partBytes = 8_000
  }

  func write(_ lines: [String], to path: String? = nil, isTerminated: Bool = true) throws {
    let text = lines.joined(separator: "\n") + (isTerminated ? "\n" : "")
    try Data(text.utf8).write(to: URL(filePath: path ?? input))
  }

  /// Runs over inputs. A missing input ends the run.
  @discardableResult
  func run(_ paths: [String]? = nil, droppingIn spool: String? = nil) async throws -> (tally: Tally, ends: [InputEnd]) {
    let settings = Replaceable(PipelineSettings(trust: try TrustPolicy.apple(), limits: ReadLimits(batchRecords: 4)))
    var pipeline = Pipeline(inputs: (paths ?? [input]).map { InputFile(path: $0) }, settings: settings)
    pipeline.receivedAt = ReceivedAtRule(time: Timestamp("2026-03-10T00:00:00Z"))
    var ends: [InputEnd] = []
    let state = try PipelineState(folder.path + "/state", settings: options.settings)
    let tables = try TableWriter(options, state)
    if let spool { try tables.dropInputs(in: spool) }
    let tally = try await pipeline.run(continuing: state, into: tables, committed: { ends += $0.ends.map(\.end) })
    return (tally, ends)
  }

  /// The content of every part, by name.
  var parts: [String: String] {
    Dictionary(uniqueKeysWithValues: folder.files.map { (String($0.trimmingPrefix("out/")), folder.text($0)) })
  }

  /// The rows of a table.
  func rows(_ table: String) -> [Object] {
    folder.files.filter { $0.hasPrefix("out/\(table)/part-") && $0.hasSuffix(".jsonl") }
      .flatMap { folder.text($0).split(separator: "\n").map { Object(String($0)) } }
  }
}

@Suite struct `A resumed run` {
  /// Real postbacks, copies and invalid lines.
  private let lines: [String] = (0..<60).map { index in
    index % 4 == 3 ? "{\"rubbish\":\(index)}" : RealPostback.all[index % RealPostback.all.count].object.text
  }

  @Test(arguments: 0...6) func `makes the tables of an uninterrupted run`(_ inputs: Int) async throws {
    let (whole, cut) = (try Site(), try Site())
    var names: [String] = []
    for start in stride(from: 0, to: lines.count, by: 10) {
      names.append("part\(start)")
      for site in [whole, cut] {
        try site.write(Array(lines[start..<start + 10]), to: site.folder.path + "/part\(start)")
      }
    }
    func paths(_ site: Site) -> [String] { names.map { site.folder.path + "/" + $0 } }
    try await whole.run(paths(whole))
    var broken = paths(cut)
    broken.insert(cut.folder.path + "/gone", at: inputs)
    await #expect(throws: PipelineFailure.self) { try await cut.run(broken) }
    try await cut.run(paths(cut))
    func anonymous(_ site: Site) -> [String: String] {
      site.parts.mapValues { $0.replacing(site.folder.path, with: "") }
    }
    #expect(anonymous(whole) == anonymous(cut))
    #expect(whole.parts.count > 6 && whole.parts.keys.allSatisfy { !$0.contains("inprogress") })
  }

  @Test func `skips inputs whose rows are in the tables`() async throws {
    let site = try Site()
    try site.write(lines)
    try await site.run()
    let before = site.parts
    let again = try await site.run()
    #expect(again.tally == Tally() && again.ends == [.known(path: site.input)])
    #expect(site.parts == before)
  }

  @Test func `recognises the same content under another name, also when it grows`() async throws {
    let site = try Site()
    try site.write(lines)
    let other = site.folder.path + "/other"
    try site.write(lines, to: other)
    let both = try await site.run([site.input, other])
    #expect(both.tally.read == lines.count && both.ends == [.finished, .known(path: site.input)])
    try site.write(lines + ["{}"], to: other)
    #expect(try await site.run([other]).tally.read == 1)
  }

  @Test func `recognises inputs whose rows were dropped, under other names and compressed`() async throws {
    let site = try Site()
    let spool = site.folder.path + "/new"
    try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: true)
    var paths: [String] = []
    for number in 0..<150 {
      paths.append("\(spool)/\(number)")
      // Some files begin with the same record as another, and some are of one record.
      try site.write((0...number % 3).map { "{\"rubbish\":\(number / 3 * 3 + $0)}" }, to: paths[number])
    }
    #expect(try await site.run(paths, droppingIn: spool).tally.read == 300)
    let ledger = try Ledger.reading(site.folder.path + "/state")
    #expect(ledger.inputs == [.complete: 150])
    #expect(ledger.state.putAway.inputs == 50)
    let before = site.parts
    for (number, path) in paths.enumerated() {
      let text = try Data(contentsOf: URL(filePath: path))
      try FileManager.default.removeItem(atPath: path)
      let bytes = number % 2 == 0 ? Array(text) : gzip(String(decoding: text, as: UTF8.self))
      paths[number] = "\(spool)/again-\(number)"
      try Data(bytes).write(to: URL(filePath: paths[number]))
    }
    for _ in 1...2 {
      let again = try await site.run(paths, droppingIn: spool)
      #expect(again.tally == Tally() && again.ends.count == 150)
      #expect(site.parts == before)
    }
    try site.write((0..<3).map { "{\"rubbish\":\($0 + 1)}" }, to: "\(spool)/other")
    #expect(try await site.run(["\(spool)/other"], droppingIn: spool).tally.read == 3)
  }

  @Test func `skips known content in a file that has the inode number of another`() async throws {
    let site = try Site()
    let (short, long) = (site.folder.path + "/short", site.folder.path + "/long")
    try site.write(Array(lines.prefix(1)), to: short)
    try site.write(lines, to: long)
    try await site.run([short, long])
    let before = site.parts
    let again = site.folder.path + "/again"
    try FileManager.default.moveItem(atPath: short, toPath: again)
    let file = try FileHandle(forWritingTo: URL(filePath: again))
    try file.write(contentsOf: Data(contentsOf: URL(filePath: long)))
    try file.close()
    #expect(try await site.run([again]).ends == [.known(path: long)])
    #expect(site.parts == before)
  }

  @Test func `reads an input once if it is given twice`() async throws {
    let site = try Site()
    try site.write(lines)
    let twice = try await site.run([site.input, site.input])
    #expect(twice.tally.read == lines.count && twice.ends == [.finished, .known(path: site.input)])
  }

  @Test func `reads what was appended to an input`() async throws {
    let site = try Site()
    try site.write(Array(lines.prefix(10)))
    try await site.run()
    try site.write(lines)
    let rest = try await site.run()
    #expect(rest.tally.read == lines.count - 10)
    #expect(site.rows("skan_rejects").count + site.rows("skan_postbacks").count == lines.count)
  }

  @Test func `reads an incomplete last line again`() async throws {
    let site = try Site()
    let whole = RealPostback.v4.object.text
    try site.write(["{}", String(whole.prefix(100))], isTerminated: false)
    #expect(try await site.run().tally.rejected == 2)
    try site.write(["{}", whole, "{}"])
    let rest = try await site.run()
    #expect((rest.tally.read, rest.tally.accepted) == (2, 1))
    // One that was complete but for its line end is not read again.
    try site.write(["{}", whole, "{}", "{\"a\":1}"], isTerminated: false)
    #expect(try await site.run().tally.read == 1)
    try site.write(["{}", whole, "{}", "{\"a\":1}", "{}"])
    #expect(try await site.run().tally.read == 1)
  }

  @Test(arguments: [[false, true], [true, false]], [0, 1, 7])
  func `recognises content that was compressed or decompressed since, also if it has grown`(
    _ isCompressed: [Bool],
    grownBy growth: Int
  ) async throws {
    for compress in [gzip, zstd] {
      let site = try Site()
      func write(_ lines: ArraySlice<String>, to name: String, _ isCompressed: Bool) throws -> String {
        let path = "\(site.folder.path)/\(name)"
        let text = lines.joined(separator: "\n") + "\n"
        try Data(isCompressed ? compress(text) : Array(text.utf8)).write(to: URL(filePath: path))
        return path
      }
      try await site.run([write(lines.prefix(20), to: "dump", isCompressed[0])])
      // In between comes something else, under the name that it had.
      try await site.run([write(lines.suffix(20), to: "dump", isCompressed[0])])
      let rotated = try write(lines.prefix(20 + growth), to: "dump.1", isCompressed[1])
      let later = try await site.run([rotated])
      #expect(later.tally.read == growth)
      #expect(growth > 0 || later.ends == [.known(path: site.folder.path + "/dump")])
      #expect(try await site.run([rotated]).tally.read == 0)
      #expect(site.rows("skan_rejects").count + site.rows("skan_postbacks").count == 40 + growth)
    }
  }

  @Test func `treats other content under the same name as another input`() async throws {
    let site = try Site()
    try site.write(Array(lines.prefix(8)))
    try await site.run()
    try site.write(lines.suffix(8) + ["{}"])
    #expect(try await site.run().tally.read == 9)
  }

  @Test func `recognises copies of postbacks of earlier runs`() async throws {
    let site = try Site()
    try site.write([RealPostback.v4.object.text])
    #expect(try await site.run().tally.accepted == 1)
    try site.write([RealPostback.v4.object.text, RealPostback.v3.object.text], to: site.folder.path + "/b")
    let later = try await site.run([site.folder.path + "/b"])
    #expect(later.tally.rejectedByCode == [.duplicateIdentical: 1] && later.tally.accepted == 1)
  }

  @Test func `has no part that differs from the ledger`() async throws {
    let site = try Site()
    try site.write(lines)
    try await site.run()
    let check = StateCheck(output: site.options.folder, state: try StateFolder(existing: site.folder.path + "/state"))
    #expect(check.problems.isEmpty && check.notes.isEmpty)
  }
}
