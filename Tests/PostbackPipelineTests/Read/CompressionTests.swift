import TestSupport
import Testing

@testable import PostbackPipeline

/// A format that a test compresses with.
enum TestFormat: CaseIterable {
  case gzip
  case zstd

  func compress(_ text: String) -> [UInt8] {
    switch self {
    case .gzip: PostbackPipelineTests.gzip(text)
    case .zstd: PostbackPipelineTests.zstd(text)
    }
  }
}

@Suite struct `Decompression` {
  private static let text = (0..<30).map { "{\"transaction-id\":\"\($0)\"}\n" }.joined()
  private let records = (0..<30).map { FramedRecord("{\"transaction-id\":\"\($0)\"}", line: $0 + 1) }

  @Test(arguments: TestFormat.allCases, [1, 5, 64, 128 * 1024])
  func `recognises a format by the first bytes`(_ format: TestFormat, bufferSize: Int) throws {
    #expect(try read(format.compress(Self.text), bufferSize: bufferSize) == records)
  }

  @Test(arguments: TestFormat.allCases, [1, 128 * 1024])
  func `joins consecutive members to one text`(_ format: TestFormat, bufferSize: Int) throws {
    let (first, second) = (Self.text.prefix(100), Self.text.dropFirst(100))
    let bytes = format.compress(String(first)) + format.compress("") + format.compress(String(second))
    #expect(try read(bytes, bufferSize: bufferSize) == records)
  }

  @Test(arguments: TestFormat.allCases)
  func `reads the arrays of consecutive members`(_ format: TestFormat) throws {
    let bytes = format.compress("[{\"a\":1}]") + format.compress("[{\"b\":2}]")
    #expect(try read(bytes).map(\.text) == ["{\"a\":1}", "{\"b\":2}"])
  }

  @Test(arguments: TestFormat.allCases)
  func `gives the complete records of truncated data, and one record that reports it`(_ format: TestFormat) throws {
    let bytes = format.compress(Self.text)
    for count in 1..<bytes.count {
      let read = try read(Array(bytes.prefix(count)), bufferSize: 16)
      #expect(read.dropLast() == records.prefix(read.count - 1))
      #expect(read.last?.defect == .truncatedInput("The \(format) data ends too early."), "cut at \(count)")
    }
  }

  @Test(arguments: TestFormat.allCases)
  func `accepts data that ends between members`(_ format: TestFormat) throws {
    let bytes = format.compress(Self.text) + format.compress(Self.text)
    #expect(try read(Array(bytes.prefix(bytes.count / 2))) == records)
  }

  @Test(arguments: TestFormat.allCases)
  func `reports a wrong checksum after the records before it`(_ format: TestFormat) throws {
    var bytes = format.compress(Self.text)
    bytes[bytes.count - (format == .gzip ? 8 : 4)] ^= 1
    let read = try read(bytes)
    #expect(read.dropLast() == records[...])
    guard case .truncatedInput(let reason) = read.last?.defect else {
      Issue.record("\(read)")
      return
    }
    #expect(reason.hasPrefix("The \(format) data is corrupt: "))
    #expect(read.last?.text == "")
  }

  @Test func `keeps the text before a corrupt zstd block`() throws {
    // Too much for one block of 128 KiB; the second block's header is made a reserved one.
    let lines = (0..<40_000).map { "{\"a\":\($0)}\n" }.joined()
    var bytes = zstd(lines)
    let descriptor = bytes[4]
    let isSingleSegment = descriptor & 0x20 != 0
    let sizeField = [isSingleSegment ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
    let header = 5 + (isSingleSegment ? 0 : 1) + sizeField
    let size = (Int(bytes[header]) | Int(bytes[header + 1]) << 8 | Int(bytes[header + 2]) << 16) >> 3
    bytes[header + 3 + size] |= 0b110
    let read = try read(bytes)
    #expect(read.count > 10_000)
    #expect(read.dropLast().allSatisfy { $0.defect == nil })
    #expect(read.last?.defect != nil)
  }

  @Test(arguments: [1, 3, 600, 5000]) func `ignores zero bytes after a gzip member`(count: Int) throws {
    let padding = [UInt8](repeating: 0, count: count)
    #expect(try read(gzip(Self.text) + padding, bufferSize: 64) == records)
    #expect(try read(gzip("") + padding + gzip(Self.text) + padding, bufferSize: 64) == records)
  }

  @Test(arguments: TestFormat.allCases)
  func `reports other bytes after the data once`(_ format: TestFormat) throws {
    let read = try read(format.compress(Self.text) + Array("{\"a\":1}\n{\"b\":2}\n".utf8))
    #expect(read.dropLast() == records[...])
    #expect(
      read.last?.defect == .truncatedInput("The \(format) data is followed by bytes that are not \(format).")
    )
  }

  @Test func `skips skippable zstd frames`() throws {
    let skippable: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
    #expect(try read(skippable + zstd(Self.text) + skippable) == records)
    #expect(try read(skippable) == [])
  }

  @Test func `treats text that resembles a format's signature as text`() throws {
    #expect(try read(Array("P*M\n{}".utf8)).map(\.text) == ["P*M", "{}"])
    #expect(try read([0x28, 0xB5, 0x2F, 0x0A]).count == 1)
    #expect(try read([]) == [])
  }

  @Test(arguments: TestFormat.allCases)
  func `reads highly compressed text in batches`(_ format: TestFormat) throws {
    let line = "{\"a\":\"" + String(repeating: "x", count: 1000) + "\"}\n"
    let directory = try TemporaryDirectory()
    let path = try directory.write(format.compress(String(repeating: line, count: 5000)))
    let input = InputFile(path: path)
    let reader = try InputReader(try OpenInput(input), InputCatalog(), limits: ReadLimits())
    // A batch, one step of a decompressor, and a bit.
    let longest = (1 << 20) + (64 << 10) + 64
    var records = 0
    var consumed: Int64 = 0
    while let batch = try reader.nextBatch() {
      records += batch.records.count
      #expect(batch.bytes.count < longest)
      #expect(batch.origins[0].consumed >= consumed)
      consumed = batch.origins[0].consumed
    }
    #expect(records == 5000)
    #expect(consumed == (try InputFile.enumerate([path])[0].byteCount))
  }
}
