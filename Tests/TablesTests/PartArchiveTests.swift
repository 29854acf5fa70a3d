@testable import DurableFiles
@testable import Ledger
@testable import Tables
import Foundation
import TestSupport
import Testing

/// The archive of parts that are removed because of their age, also of those that an earlier removal has left with fewer rows.
@Suite struct `An archive` {
  /// The format and the partition of a part.
  struct Form: Sendable, CustomTestStringConvertible {
    let format: TableFormat
    let partition: String

    static let all = TableFormat.allCases.flatMap { format in
      ["", "received_day=2026-03-20"].map { Form(format: format, partition: $0) }
    }

    var testDescription: String { "\(format) in \(partition)" }
  }

  private let site: StateSite
  private let ledger: Ledger
  private let archive: PartArchive

  init() throws {
    site = try StateSite()
    ledger = try site.ledger()
    archive = try PartArchive("\(site.directory.path)/archive", of: site.output)
  }

  /// The bytes of a row: with quotes, commas and line ends, or short.
  private func row(_ number: Int, _ format: TableFormat, _ name: String) -> String {
    let text = number % 3 == 0 ? "" : "of \(name),\(format == .csv ? "\"\"a\"\"\r\nand" : #"\"a\"\nand"#) more"
    return format == .csv
      ? "input-\(number),\"\(text)\"\r\n" : #"{"source_file":"input-\#(number)","found":"\#(text)"}"# + "\n"
  }

  /// Writes a part with some rows in the place of any earlier one.
  private func part(_ rows: some Sequence<Int>, _ form: Form, _ name: String = "somebody") throws -> LedgerPart {
    var part = LedgerPart(table: Table.rejects.name, format: form.format, number: 7, partition: form.partition)
    let text = (form.format == .csv ? "source_file,found\r\n" : "") + rows.map { row($0, form.format, name) }.joined()
    let bytes = Array(text.utf8)
    (part.length, part.checksum, part.phase) = (Int64(bytes.count), CRC32(of: bytes).value, .complete)
    _ = try DurableFolder(making: "\(site.output)/\(part.folder)")
    try site.change("out/\(part.folder)/\(part.name)") { $0 = bytes }
    return part
  }

  private func take(_ part: LedgerPart) throws { try archive.take(part, from: site.output, ledger) }

  private func path(of part: LedgerPart) -> String { "archive/\(part.folder)/\(part.name)" }

  @Test(arguments: Form.all) func `has a part once, whose rows went in several removals`(_ form: Form) throws {
    let whole = try part(0..<20_000, form)
    try take(whole)
    let bytes = try site.bytes(path(of: whole))
    #expect(bytes == (try site.bytes("out/\(whole.folder)/\(whole.name)")))
    // An interrupted removal is repeated; then rows go, in three times.
    let numbers = Array(0..<20_000)
    for rest in [numbers, numbers.filter { $0 % 7 > 2 }, numbers.filter { $0 % 7 == 3 }, [19_999], []] {
      try take(try part(rest, form))
      #expect(try site.bytes(path(of: whole)) == bytes, "\(rest.count)")
    }
    #expect(try site.names(in: "archive/\(whole.folder)") == [whole.name])
  }

  @Test(arguments: Form.all) func `refuses a part of its name with other rows, and a damaged one`(_ form: Form) throws {
    let whole = try part(0..<40, form)
    try take(whole)
    let bytes = try site.bytes(path(of: whole))
    func expectRefusal(_ rest: LedgerPart, _ comment: Comment) {
      let failure = stateFailure { try take(rest) }
      #expect(failure?.kind == .incompatible, comment)
      #expect(failure?.path == "\(site.directory.path)/\(path(of: whole))", comment)
      #expect(failure?.event.contains("another part of this name") ?? false, comment)
    }
    expectRefusal(try part([5, 4], form), "another order")
    expectRefusal(try part([5, 5], form), "a row twice")
    expectRefusal(try part([5, 40], form), "a further row")
    expectRefusal(try part([5], form, "everybody"), "another text")
    expectRefusal(try part([5], form, "nobodies"), "another text of the same length")
    #expect(try site.bytes(path(of: whole)) == bytes)
    let rest = try part([5, 8], form)
    for (comment, change) in [
      ("cut in its last row", { $0.removeLast(3) }), ("empty", { $0 = [] }),
      (
        "with another row",
        { $0 = Array(String(decoding: $0, as: UTF8.self).replacing("input-8", with: "input-9").utf8) }
      ),
    ] as [(Comment, (inout [UInt8]) -> Void)] {
      try site.change(path(of: whole), change)
      expectRefusal(rest, comment)
      try site.change(path(of: whole)) { $0 = bytes }
    }
    try take(rest)
  }

  @Test(arguments: Form.all) func `gets what is left of a part if it was emptied`(_ form: Form) throws {
    try take(try part(0..<40, form))
    try site.remove("archive")
    let rest = try part([5, 8], form)
    // An interrupted copy.
    try FileManager.default.createDirectory(
      atPath: "\(site.directory.path)/archive/\(rest.folder)",
      withIntermediateDirectories: true
    )
    try site.change("archive/\(rest.folder)/.\(rest.name).archived") { $0 = [1] }
    try take(rest)
    #expect(try site.bytes(path(of: rest)) == site.bytes("out/\(rest.folder)/\(rest.name)"))
    try take(try part([8], form))
    #expect(try site.bytes(path(of: rest)).count == Int(rest.length))
    #expect(try site.names(in: "archive/\(rest.folder)") == [rest.name])
  }

  @Test(arguments: Form.all) func `takes masked rows for those that it has`(_ form: Form) throws {
    let whole = try part(0..<40, form)
    try take(whole)
    // The same length, and texts that a removal on request may mask.
    let masked = try part([5, 8, 10], form, "xxxxxxxx")
    #expect(stateFailure { try take(masked) }?.kind == .incompatible)
    var removal = TableRemoval(table: whole.table, reason: .request)
    let row = TableRemoval.Row(format: form.format, part: whole.number, offset: 0, byteCount: 0, key: nil)
    removal.masked = [row]
    var commit = LedgerCommit(time: 1)
    commit.removals = [removal]
    try ledger.commit(commit)
    try take(masked)
    #expect(stateFailure { try take(try part([5, 40], form, "xxxxxxxx")) }?.kind == .incompatible)
  }

  @Test func `asks for its part to be decompressed before the rest of it goes`() throws {
    let form = Form(format: .jsonLines, partition: "")
    let whole = try part(0..<40, form)
    for ending in [".gz", ".zst"] {
      try take(whole)
      let path = "\(site.directory.path)/\(path(of: whole))"
      try FileManager.default.moveItem(atPath: path, toPath: path + ending)
      let failure = stateFailure { try take(try part([5], form)) }
      #expect(failure?.path == path + ending && failure?.kind == .incompatible)
      #expect(failure?.advice?.contains("Decompress it") ?? false)
      #expect(try site.names(in: "archive/\(whole.folder)") == [whole.name + ending])
      try FileManager.default.moveItem(atPath: path + ending, toPath: path)
      try take(try part([5], form))
      _ = try part(0..<40, form)
    }
  }
}
