import Foundation
import TestSupport

/// The built `postback` command, run as a separate process.
struct BuiltCommand {
  /// The result of a run of the command.
  struct Result {
    let status: Int32
    let output: [UInt8]
    let errorOutput: [UInt8]

    /// Standard output as text.
    var text: String { String(decoding: output, as: UTF8.self) }
    /// Standard error as text.
    var errorText: String { String(decoding: errorOutput, as: UTF8.self) }
  }

  /// Runs `postback` with these arguments and waits for its end.
  ///
  /// It reads `input` from a pipe. Where `outputPath` is given, standard output goes there and is not in the result.
  static func run(_ arguments: [String], input: [UInt8] = [], outputPath: String? = nil) async throws -> Result {
    try await run(executable: path, arguments, input: input, outputPath: outputPath)
  }

  /// Runs another program in the same way.
  static func run(
    executable: String,
    _ arguments: [String],
    input: [UInt8] = [],
    outputPath: String? = nil
  ) async throws -> Result {
    // A command that ends without reading its input must not end the tests.
    _ = signal(SIGPIPE, SIG_IGN)
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    // Files take any amount of output while nobody reads it, as pipes do not.
    let files = [try folder.makeFile("output"), try folder.makeFile("errors")]
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: outputPath ?? files[0]))
    let errors = try FileHandle(forWritingTo: URL(fileURLWithPath: files[1]))
    // A Process keeps what it was given for as long as the tests run, and there are more of them than files may be open.
    defer { for file in [output, errors] { try? file.close() } }
    process.standardOutput = output
    process.standardError = errors
    let pipe = Pipe()
    process.standardInput = pipe
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do {
        try process.run()
      } catch {
        process.terminationHandler = nil
        ended.resume(throwing: error)
        return
      }
      try? pipe.fileHandleForReading.close()
      try? pipe.fileHandleForWriting.write(contentsOf: Data(input))
      try? pipe.fileHandleForWriting.close()
    }
    return Result(
      status: process.terminationStatus,
      output: try folder.contents(of: "output"),
      errorOutput: try folder.contents(of: "errors")
    )
  }

  /// SwiftPM puts the products next to the test bundle, which on Linux is the program that runs.
  static var path: String {
    get throws {
      let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("postback").path
    }
  }
}
