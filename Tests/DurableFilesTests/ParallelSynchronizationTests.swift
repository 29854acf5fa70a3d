import DurableFiles
import TestSupport
import Testing

@Suite struct `Files that are made durable at once` {
  @Test(arguments: [0, 1, 16, 50]) func `stay usable, but for those that fail`(_ count: Int) async throws {
    let folder = try TemporaryFolder()
    let files = try (0..<count).map { try DurableFile(folder.path("\($0)"), .updating) }
    for file in files { try file.write([UInt8]([1, 2, 3]).span, at: 0) }
    // It cannot be made durable.
    let failing = try DurableFile("/dev/null", .updating)
    await DurableFile.synchronize(files + [failing])
    for file in files {
      try file.synchronize()
      #expect(try file.byteCount() == 3)
    }
    let failure = stateFailure { try failing.write([UInt8]([1]).span, at: 0) }
    #expect(failure?.reason.contains("made durable") == true)
    #expect(stateFailure { try failing.synchronize() }?.kind == .io)
  }
}
