import Base
import Foundation
import JSON
import PostbackPipeline
import TestSupport
import Testing

@testable import PostbackService

@Suite struct `The log` {
  private static let hostile = [
    "", "a=b", "two words", "line\nfeed", "\r\n2026-01-01T00:00:00Z error forged: line", "\u{1B}[2J\u{1B}]0;title\u{7}",
    "\u{9B}31m", "\u{0}", "\u{7F}", "\u{85}", "\u{2028}\u{2029}", "\u{202E}gpj.exe", "\u{E0001}\u{E0041}",
    "\"quoted\" \\ back\\", "{\"level\":\"error\"}", "🎈é", "\u{FEFF}",
  ]

  private static let neverWritten: Set<UInt32> = [0x7F, 0x85, 0x9B, 0x2028, 0x2029, 0x202E, 0xFEFF, 0xE0001, 0xE0041]

  private func entry(_ message: String = "Done", _ fields: LogFields = [:]) -> LogEntry {
    LogEntry(time: Timestamp(milliseconds: 0), level: .info, event: "done", message: message, fields: fields)
  }

  @Test(arguments: hostile) func `writes any text as one line without control characters`(_ text: String) throws {
    let entry = entry(text, ["first": .text(text), "second": 2, "third": .text(text)])
    for line in [entry.line(as: .text), entry.line(as: .json)] {
      #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !Self.neverWritten.contains($0.value) })
    }
    let json = try JSONValue(parsing: Array(entry.line(as: .json).utf8))
    #expect(["message", "first", "third"].map { json[$0] } == Array(repeating: .string(text), count: 3))
    #expect(json["level"] == .string("info"))
  }

  @Test func `writes text with quotes around values that could be misread`() {
    let entry = LogEntry(
      time: Timestamp(milliseconds: 1_795_287_600_123),
      level: .warning,
      event: "committed",
      message: "3 rows",
      fields: [
        "key": "value", "path": "va \"lue", "empty": "", "sum": "a=b", "escaped": "\\\n", "n": -3, "s": .decimal(0.25),
      ]
    )
    let line = #"2026-11-21T19:00:00.123Z warning committed: 3 rows key=value path="va \"lue" empty="" sum="a=b" "#
    #expect(entry.line(as: .text) == line + #"escaped="\\\u{a}" n=-3 s=0.25"#)
  }

  @Test func `writes JSON with members in the given order`() {
    let entry = entry("Done", ["z": 1, "a": .decimal(2.5), "m": .decimal(.infinity), "b": "\u{1F}\u{E0001}\t"])
    let start = #"{"time":"1970-01-01T00:00:00.000Z","level":"info","event":"done","message":"Done","#
    #expect(entry.line(as: .json) == start + #""z":1,"a":2.5,"m":null,"b":"\u001f\udb40\udc01\t"}"#)
  }

  @Test func `cuts long texts`() throws {
    let entry = entry(String(repeating: "\u{1}", count: 1 << 20), ["long": .text(String(repeating: "é", count: 2001))])
    #expect(entry.line(as: .json).utf8.count < 20_000)
    #expect(entry.line(as: .text).utf8.count < 20_000)
    let json = try JSONValue(parsing: Array(entry.line(as: .json).utf8))
    #expect(json["long"] == .string(String(repeating: "é", count: 2000) + "…"))
  }

  @Test func `ends each line, and ignores a closed reader`() throws {
    let folder = try TemporaryFolder()
    let file = try #require(FileHandle(forWritingAtPath: try folder.makeFile("log")))
    let log = Log(.json, to: file.fileDescriptor)
    log.info("a", "one", ["x": 1])
    log.warning("b", "two")
    log.error("c", "three")
    let lines = try folder.contents(of: "log").split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    #expect(lines.count == 4 && lines.last?.isEmpty == true)
    let levels = try lines.dropLast().map { try JSONValue(parsing: Array($0))["level"]?.text }
    #expect(levels == ["info", "warning", "error"])
    try file.close()
    Log(.text, to: -1).error("d", "four")
  }

  @Test(arguments: LogLevel.allCases) func `leaves out what is less severe than its level`(_ level: LogLevel) throws {
    let folder = try TemporaryFolder()
    let file = try #require(FileHandle(forWritingAtPath: try folder.makeFile("log")))
    let log = Log(.text, level: level, to: file.fileDescriptor)
    log.debug("debug", "")
    log.info("info", "")
    log.warning("warning", "")
    log.error("error", "")
    let events = try String(decoding: folder.contents(of: "log"), as: UTF8.self).split(separator: "\n").map {
      String($0.split(separator: " ")[1])
    }
    #expect(events == LogLevel.allCases.filter { $0 >= level }.map(\.rawValue))
  }
}
