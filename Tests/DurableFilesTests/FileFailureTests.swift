import DurableFiles
import Glibc
import Testing

@Suite struct `The failure of an operation on a file` {
  @Test(arguments: [
    (
      ENOSPC, FileFailure.Access.write, FileFailure.Kind.diskFull, "No space left on device. Make room, then run again."
    ),
    (EACCES, .read, .io, "Permission denied. Give this user permission to read it."),
    (EACCES, .write, .cannotCreate, "Permission denied. Give this user permission to write there."),
    (ENOENT, .read, .io, "No such file or directory. Check the path."),
    (ENOENT, .write, .io, "No such file or directory."),
    (EMFILE, .write, .exhausted, "Too many open files. Raise the limit of open files (ulimit -n)."),
    (EIO, .write, .io, "Input/output error. Check the disk, then run again."),
  ])
  func `says what happened, why, and what to do`(
    _ code: Int32,
    _ access: FileFailure.Access,
    _ kind: FileFailure.Kind,
    _ rest: String
  ) {
    let failure = FileFailure.system(.io, "a/b", "The file cannot be written", code, access: access)
    #expect(failure.description == "a/b: The file cannot be written: \(rest)")
    #expect(failure.kind == kind)
    #expect(failure.code == code)
  }

  @Test func `needs no cause and no advice`() {
    #expect(FileFailure(.io, "a", "The file is odd").description == "a: The file is odd.")
    let advised = FileFailure(.io, "a", "The file is odd", advice: "Look at it. Then run again")
    #expect(advised.description == "a: The file is odd. Look at it. Then run again.")
    #expect(advised.reason == "The file is odd. Look at it. Then run again.")
  }

  @Test func `shows no control characters of a path`() {
    #expect(!FileFailure(.io, "a\u{1B}[31m", "The file is odd").description.contains("\u{1B}"))
  }
}
