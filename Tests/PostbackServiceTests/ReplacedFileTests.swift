import DurableFiles
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PostbackService

@Suite struct `A file that is replaced` {
  @Test func `is never read half-written`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("metrics.prom")
    let isDone = Atomic(false)
    async let writing: Void = {
      var file = ReplacedFile(path)
      for round in 0..<300 {
        let letter = round % 2 == 0 ? "a" : "b"
        file.replace(with: String(repeating: letter, count: 100_000 + round % 7 * 50_000) + ".", Log())
      }
      isDone.store(true, ordering: .releasing)
    }()
    var texts = 0
    while !isDone.load(ordering: .acquiring) {
      guard let bytes = try? WholeFile.read(path, upTo: 4 << 20) else { continue }
      texts += 1
      #expect(bytes.last == UInt8(ascii: "."))
      let letters = Data(bytes.dropLast())
      #expect(letters == Data(repeating: try #require(letters.first), count: letters.count))
      // Texts come 300 times, and reading without a pause would take a core from other tests.
      try await Task.sleep(for: .milliseconds(1))
    }
    await writing
    #expect(texts > 0)
    #expect(try folder.names == ["metrics.prom"])
  }

  @Test func `is readable for everyone`() throws {
    let folder = try TemporaryFolder()
    var file = ReplacedFile(folder.path("metrics.prom"))
    let mask = umask(0o077)
    file.replace(with: "x", Log())
    umask(mask)
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o644)
  }

  @Test func `warns once if it cannot be written, and again after a successful write`() throws {
    let folder = try TemporaryFolder()
    let output = try #require(FileHandle(forWritingAtPath: try folder.makeFile("log")))
    let log = Log(.text, to: output.fileDescriptor)
    func warnings() throws -> Int { try folder.contents(of: "log").count { $0 == UInt8(ascii: "\n") } }
    var file = ReplacedFile(folder.path("later/metrics.prom"))
    for _ in 0..<3 { file.replace(with: "x", log) }
    #expect(try warnings() == 1)
    try FileManager.default.createDirectory(atPath: folder.path("later"), withIntermediateDirectories: true)
    file.replace(with: "x", log)
    #expect(try folder.contents(of: "later/metrics.prom") == [UInt8(ascii: "x")])
    try FileManager.default.removeItem(atPath: folder.path("later"))
    for _ in 0..<3 { file.replace(with: "x", log) }
    #expect(try warnings() == 2)
  }

  @Test func `does not replace anything but a regular file`() throws {
    let folder = try TemporaryFolder()
    #expect(unsafe mkfifo(folder.path("pipe"), 0o600) == 0)
    var file = ReplacedFile(folder.path("pipe"))
    file.replace(with: "x", Log(to: -1))
    #expect(try folder.names == ["pipe"])
    let type = try FileManager.default.attributesOfItem(atPath: folder.path("pipe"))[.type] as? FileAttributeType
    #expect(type != .typeRegular)
  }
}
