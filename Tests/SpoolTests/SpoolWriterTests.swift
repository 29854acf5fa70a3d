@testable import DurableFiles
@testable import Spool
import Foundation
import TestSupport
import Testing

@testable import PostbackPipeline

@Suite struct `A writer into a spool` {
  private let site: SpoolSite

  init() throws { site = try SpoolSite() }

  @Test func `writes files whose names sort in the order of writing`() throws {
    var writer = try SpoolWriter(site.path + "/")
    for number in 0..<100 { try writer.write(Array("\(number)".utf8)) }
    let names = try site.names("new")
    #expect(try names.map { try site.text("new/\($0)") } == (0..<100).map { "\($0)" })
    #expect(names.allSatisfy { SpoolWriter.isOwn($0) })
    #expect(try site.names("tmp").isEmpty)
  }

  @Test func `can share a spool with other writers`() throws {
    var writers = [try SpoolWriter(site.path), try SpoolWriter(site.path)]
    for number in 0..<200 { try writers[number % 2].write(Array("\(number)".utf8)) }
    let texts = try site.names("new").map { try site.text("new/\($0)") }
    #expect(Set(texts) == Set((0..<200).map { "\($0)" }) && texts.count == 200)
  }

  @Test func `leaves no file behind if it fails, and works again afterwards`() throws {
    var writer = try SpoolWriter(site.path)
    let new = "\(site.path)/new"
    try FileManager.default.removeItem(atPath: new)
    #expect(throws: FileFailure.self) { try writer.write([1]) }
    #expect(throws: FileFailure.self) { try writer.probe(byteCount: 1) }
    #expect(try site.names("tmp").isEmpty)
    try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: false)
    try writer.write([2])
    #expect(try site.names("new").count == 1)
    try writer.probe(byteCount: 1000)
    #expect(try site.names("tmp").isEmpty && site.names("new").count == 1)
  }

  @Test func `needs an existing spool`() throws {
    #expect(throws: FileFailure.self) { try SpoolWriter(site.path + "/nowhere") }
  }

  @Test(arguments: [
    "serve-00000000000000001-0000000001-00000000.jsonl", "serve-12345678901234567-4294967295-deadbeef.jsonl",
  ]) func `knows its own names`(_ name: String) { #expect(SpoolWriter.isOwn(name)) }

  @Test(arguments: [
    "", "serve-.jsonl", "a.jsonl", "serve-00000000000000001-0000000001-00000000.json",
    "serve-00000000000000001-0000000001-0000000.jsonl", "serve-0000000000000000x-0000000001-00000000.jsonl",
    "xserve-00000000000000001-0000000001-00000000.jsonl", "serve-00000000000000001-0000000001-00000000-1.jsonl",
  ]) func `knows others' names`(_ name: String) { #expect(!SpoolWriter.isOwn(name)) }
}
