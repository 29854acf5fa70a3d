import DurableFiles
import Foundation
import TestSupport
import Testing

@Suite struct `A file as a whole` {
  @Test(arguments: [0, 1, 65_536, 200_000]) func `is read up to a limit`(_ count: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a")
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 3) }
    try WholeFile.replace(path, with: bytes)
    #expect(try WholeFile.read(path, upTo: count) == bytes)
    if count > 0 {
      let failure = #expect(throws: FileFailure.self) { try WholeFile.read(path, upTo: count - 1) }
      #expect(failure?.description == "\(path): The file has more than \(count - 1) bytes.")
    }
  }

  @Test func `names a file that does not exist`() throws {
    let folder = try TemporaryFolder()
    let failure = #expect(throws: FileFailure.self) { try WholeFile.read(folder.path("a"), upTo: 10) }
    #expect(failure?.kind == .notFound)
    #expect(failure?.reason == "The file cannot be opened: No such file or directory. Check the path.")
  }

  @Test func `is read from a file of the system whose length is not known`() throws {
    #expect(try !WholeFile.read("/proc/self/stat", upTo: 1 << 20).isEmpty)
  }

  @Test func `leaves nothing else in its folder when it is replaced`() throws {
    let folder = try TemporaryFolder()
    for text in ["first", "second, which is longer", "3"] {
      try WholeFile.replace(folder.path("a"), with: Array(text.utf8))
      #expect(try folder.contents(of: "a") == Array(text.utf8))
    }
    #expect(try folder.names == ["a"])
  }

  @Test func `is not replaced if it is not a regular file`() throws {
    let folder = try TemporaryFolder()
    #expect(unsafe mkfifo(folder.path("pipe"), 0o600) == 0)
    let failure = #expect(throws: FileFailure.self) { try WholeFile.replace(folder.path("pipe"), with: [1]) }
    #expect(failure?.kind == .cannotCreate)
    #expect(try folder.names == ["pipe"])
  }
}
