import DurableFiles
import Foundation
import TestSupport
import Testing

@Suite struct DamagedLinesTests {
  /// Lines that begin with `{` and end with `}` are whole.
  private func cut(_ text: String, inLast byteCount: Int64 = 1 << 20) throws -> (left: String, kept: String?) {
    let folder = try TemporaryFolder()
    let path = try folder.makeFile("lines", holding: Array(text.utf8))
    let file = try DurableFile(path, .appending)
    let kept = try file.cutDamagedLines(inLast: byteCount) {
      $0.first == UInt8(ascii: "{") && $0.last == UInt8(ascii: "}")
    }
    let keptText = try kept.map { String(decoding: try WholeFile.read($0, upTo: 1 << 20), as: UTF8.self) }
    return (String(decoding: try folder.contents(of: "lines"), as: UTF8.self), keptText)
  }

  @Test(arguments: ["", "{1}\n", "{1}\n{22}\n"]) func `whole lines stay`(_ text: String) throws {
    for window in [Int64(1), 3, 4, 100] {
      let (left, kept) = try cut(text, inLast: window)
      #expect(left == text && kept == nil)
    }
  }

  @Test func `an unfinished line is cut, and nothing is kept of it`() throws {
    for window in [Int64(1), 3, 4, 5, 100] {
      let (left, kept) = try cut("{1}\n{22}\n{3", inLast: window)
      #expect(left == "{1}\n{22}\n" && kept == nil)
    }
    #expect(try cut("{3").left == "")
  }

  @Test func `lines from a damaged one on are cut, and kept beside the file`() throws {
    let (left, kept) = try cut("{1}\n{2\u{0}\n{3}\n{4")
    #expect(left == "{1}\n")
    #expect(kept == "{2\u{0}\n{3}\n{4")
  }

  @Test func `a damaged line before the last bytes is not looked at`() throws {
    let text = "{1\n{2}\n{3}\n"
    #expect(try cut(text, inLast: 8).left == text)
    #expect(try cut(text, inLast: 11).left == "")
  }
}
