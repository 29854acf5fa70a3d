import TestSupport
@testable import DurableFiles
import Glibc
import Testing

@testable import PostbackPipeline

@Suite struct `Inputs` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func `of a directory are its regular files, sorted by the bytes of their paths, but not hidden ones`() throws {
    for name in ["b", "a", "ä", "B", "a10", "a2", ".hidden"] { try directory.write([], to: name) }
    #expect(unsafe mkdir("\(directory.path)/aa", 0o700) == 0)
    #expect(unsafe mkfifo("\(directory.path)/ab", 0o600) == 0)
    #expect(unsafe symlink("b", "\(directory.path)/link") == 0)
    #expect(unsafe symlink("nothing", "\(directory.path)/dangling") == 0)
    #expect(unsafe symlink("link to itself", "\(directory.path)/link to itself") == 0)
    try directory.write([], to: "aa/c")
    let names = ["B", "a", "a10", "a2", "aa/c", "b", "link", "ä"]
    let found = try FoundInputs(at: [directory.path])
    #expect(found.files.map(\.path) == names.map { "\(directory.path)/\($0)" })
    #expect(found.leftOut.hidden == 1 && found.leftOut.unmatched == 0 && found.leftOut.others == 3)
    #expect(try InputFile.enumerate([directory.path + "/"]).map(\.path) == names.map { "\(directory.path)/\($0)" })
  }

  @Test func `keep the order and the spelling in which they were given`() throws {
    let first = try directory.write([1, 2, 3], to: "b")
    let second = try directory.write([], to: "a")
    let inputs = try InputFile.enumerate([first, "-", second, first])
    #expect(inputs.map(\.path) == [first, "-", second, first])
    #expect(inputs.map(\.byteCount) == [3, nil, 0, 3])
  }

  @Test func `have a modification time in milliseconds, except standard input`() throws {
    let path = try directory.write([])
    var times = [
      timespec(tv_sec: 1_700_000_000, tv_nsec: 123_456_789), timespec(tv_sec: 1_700_000_000, tv_nsec: 123_456_789),
    ]
    #expect(unsafe utimensat(AT_FDCWD, path, &times, 0) == 0)
    #expect(try InputFile.enumerate([path, "-"]).map(\.modified) == [1_700_000_000_123, nil])
  }

  @Test func `that do not exist are named`() throws {
    let path = "\(directory.path)/nothing"
    let failure = #expect(throws: FileFailure.self) { try InputFile.enumerate([path]) }
    #expect(failure?.kind == .notFound)
    #expect(failure?.description == "\(path): The path cannot be found: No such file or directory. Check the path.")
  }

  @Test func `cannot be a directory without regular files`() throws {
    #expect(unsafe mkdir("\(directory.path)/inner", 0o700) == 0)
    let failure = #expect(throws: FileFailure.self) { try InputFile.enumerate([directory.path]) }
    #expect(failure?.kind == .notFound)
    #expect(
      failure?.reason == """
        There is no regular file in this directory. Look at what brings the files here, and give the command again. What was \
        made of earlier files stays.
        """
    )
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may read everything"))
  func `without read permission are named`() throws {
    let path = try directory.write([])
    #expect(unsafe chmod(path, 0) == 0)
    for given in [path, directory.path] {
      let failure = #expect(throws: FileFailure.self) { try InputFile.enumerate([given]) }
      #expect(failure?.kind == .notFound)
      #expect(failure?.path == path)
    }
  }

  @Test func `cannot have names that are not UTF-8`() throws {
    let name = Array("\(directory.path)/".utf8CString.dropLast()) + [CChar(bitPattern: 0xE4), 0]
    let descriptor = unsafe open(name, O_WRONLY | O_CREAT, 0o600)
    #expect(descriptor >= 0)
    close(descriptor)
    #expect(throws: FileFailure.self) { try InputFile.enumerate([directory.path]) }
  }

  @Test func `may be named pipes`() async throws {
    let path = "\(directory.path)/pipe"
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let inputs = try InputFile.enumerate([path])
    #expect(inputs == [InputFile(path: path)])
    // Open for both, so that neither end waits for the other.
    let descriptor = unsafe open(path, O_RDWR)
    defer { close(descriptor) }
    let bytes = Array("{}\n".utf8) + [UInt8](repeating: 0x20, count: 2000)
    #expect(unsafe write(descriptor, bytes, bytes.count) == bytes.count)
    let reader = try InputReader(try OpenInput(inputs[0]), InputCatalog(), limits: ReadLimits(batchRecords: 1))
    #expect(try reader.nextBatch()?.records.count == 1)
  }

  @Test func `are read in order, small ones in one batch`() async throws {
    try directory.write(Array("{\"a\":1}\n{\"a\":".utf8), to: "a")
    try directory.write([], to: "b")
    try directory.write(gzip("[{\"c\":3}]"), to: "c")
    try directory.write(Array(repeatElement(Array("{\"d\":4}\n".utf8), count: 1500).joined()), to: "d")
    try directory.write(Array("{\"e\":5}".utf8), to: "e")
    var seen: [String] = []
    for try await batch in PostbackReader(inputs: try InputFile.enumerate([directory.path])) {
      let texts = batch.records.map { FramedRecord($0, in: batch.bytes).text }
      let origins = batch.origins.map { "\($0.input.path.suffix(1))\($0.recordCount)" }
      seen.append("\(origins.joined(separator: " ")): \(texts[0]) \(texts[texts.count - 1])")
    }
    #expect(
      seen == [
        "a2 b0 c1: {\"a\":1} {\"c\":3}", "d1500: {\"d\":4} {\"d\":4}",
        "e1: {\"e\":5} {\"e\":5}",
      ]
    )
  }

  @Test func `without records do not gather in a batch without limit`() async throws {
    for number in 0..<600 { try directory.write([], to: "\(1000 + number)") }
    var counts: [Int] = []
    for try await batch in PostbackReader(inputs: try InputFile.enumerate([directory.path])) {
      counts.append(batch.origins.count)
    }
    #expect(counts == [256, 256, 88])
  }

  @Test func `that fail while being read end the sequence with an error`() async throws {
    // A directory opens and does not read.
    var iterator = PostbackReader(inputs: [InputFile(path: directory.path)]).makeAsyncIterator()
    let failure = await #expect(throws: PipelineFailure.self) { try await iterator.next(isolation: nil) }
    guard case .read(let read) = failure else { throw TemporaryDirectory.Failure(code: 0) }
    #expect(read.kind == .io)
    #expect(try await iterator.next(isolation: nil) == nil)
  }

  @Test func `that were removed since are skipped`() async throws {
    var iterator = PostbackReader(inputs: [InputFile(path: "\(directory.path)/gone")]).makeAsyncIterator()
    let failure = await #expect(throws: PipelineFailure.self) { try await iterator.next(isolation: nil) }
    guard case .read(let read) = failure else { throw TemporaryDirectory.Failure(code: 0) }
    #expect(read.kind == .notFound)
  }
}
