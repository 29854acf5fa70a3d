import DurableFiles
import Foundation
import TestSupport
import Testing

@testable import PostbackServer

@Suite struct SessionEventWriterTests {
  private func parts(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path("events")).filter { $0.hasPrefix("part-") }.sorted()
  }

  private func lines(_ folder: TemporaryFolder) throws -> [String] {
    try parts(folder).flatMap { try folder.contents(of: "events/\($0)").split(separator: UInt8(ascii: "\n")) }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `writes one part, and the next writer another one after it`() throws {
    let folder = try TemporaryFolder()
    do {
      var writer = try SessionEventWriter(folder.path("events"))
      try writer.write(Array("{\"n\":1}\n".utf8))
      try writer.write(Array("{\"n\":2}\n".utf8))
    }
    var writer = try SessionEventWriter(folder.path("events"))
    try writer.write(Array("{\"n\":3}\n".utf8))
    #expect(try parts(folder).count == 2)
    #expect(try lines(folder) == [#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#])
  }

  @Test func `names a part after the last one also if the clock was set back`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("events"), withIntermediateDirectories: true)
    try folder.makeFile("events/part-9000000000000-1.jsonl", holding: Array("{\"n\":1}\n".utf8))
    var writer = try SessionEventWriter(folder.path("events"))
    try writer.write(Array("{\"n\":2}\n".utf8))
    #expect(try parts(folder).last?.hasPrefix("part-9000000000001-") == true)
  }

  @Test func `begins another part where one was moved away`() throws {
    let folder = try TemporaryFolder()
    var writer = try SessionEventWriter(folder.path("events"))
    try writer.write(Array("{\"n\":1}\n".utf8))
    try FileManager.default.removeItem(atPath: folder.path("events/\(parts(folder)[0])"))
    try writer.write(Array("{\"n\":2}\n".utf8))
    #expect(try lines(folder) == [#"{"n":2}"#])
  }

  @Test func `cuts lines that a crash has damaged, and keeps them aside`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("events"), withIntermediateDirectories: true)
    try folder.makeFile("events/part-1700000000000-1.jsonl", holding: Array("{\"n\":1}\n{\"n\":\0\0\n{\"n\":3}\n".utf8))
    let writer = try SessionEventWriter(folder.path("events"))
    #expect(try lines(folder) == [#"{"n":1}"#])
    let kept = try #require(writer.damaged)
    #expect(try WholeFile.read(kept, upTo: 100) == Array("{\"n\":\0\0\n{\"n\":3}\n".utf8))
  }

  @Test func `refuses a folder that another writer has`() throws {
    let folder = try TemporaryFolder()
    let first = try SessionEventWriter(folder.path("events"))
    #expect { try SessionEventWriter(folder.path("events")) } throws: { ($0 as? FileFailure)?.kind == .locked }
    #expect(first.damaged == nil)
  }
}
