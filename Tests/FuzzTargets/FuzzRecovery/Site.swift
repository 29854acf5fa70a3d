@testable import DurableFiles
@testable import PostbackVerification
import Ledger
import Tables
import Dispatch
import FoundationEssentials
import Glibc
import TestSupport

@testable import PostbackPipeline

/// A folder with a state and its tables, as a run leaves them that was killed: with parts that are complete, parts that
/// are open, and something behind what is committed.
struct Site {
  let path: String
  var state: String { "\(path)/state" }
  var output: String { "\(path)/out" }
  /// The paths of the files that can be damaged, in the folder.
  private(set) var files: [String: [UInt8]] = [:]

  var options: TableOptions {
    var options = TableOptions(folder: output, formats: [.jsonLines, .csv])
    options.partBytes = 7000
    options.commitInterval = .zero
    return options
  }

  init() throws {
    let folder = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
    path = "\(folder)/postback-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
    try? FileManager.default.removeItem(atPath: path)
    let isDone = DispatchSemaphore(value: 0)
    let site = self
    Task {
      do { try await site.fill() } catch { fatalError("\(error)") }
      isDone.signal()
    }
    isDone.wait()
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      let file = "\(path)/\(name)"
      guard !name.hasSuffix("lock"), !name.hasSuffix("-shm") else { continue }
      files[name] = FileManager.default.contents(atPath: file).map { [UInt8]($0) }
    }
  }

  private func fill() async throws {
    let trust = try TrustPolicy.apple()
    let inputs = try InputFile.enumerate([Fixtures.path("postbacks")])
    let state = try PipelineState(state, settings: options.settings)
    let tables = try TableWriter(options, state)
    do { _ = try await Pipeline(inputs: [], trust: trust).run(CutShort(inputs), continuing: state, into: tables) } catch
    {
      guard case .read = error else { throw error }
    }
  }

  /// Restores all files except for the damage, removes all others, and returns the path of the damaged file.
  func restore(with damage: Damage) throws -> String {
    let names = files.keys.sorted()
    let damaged = names[damage.index(of: names.count)]
    for folder in Set(names.map { $0[..<($0.lastIndex(of: "/") ?? $0.startIndex)] }) {
      for name in try Directory.names(in: "\(path)/\(folder)") where files["\(folder)/\(name)"] == nil {
        unsafe unlink("\(path)/\(folder)/\(name)")
      }
    }
    for (name, bytes) in files {
      guard let bytes = name == damaged ? damage.applied(to: bytes) : bytes else {
        unsafe unlink("\(path)/\(name)")
        continue
      }
      let descriptor = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      require(unsafe write(descriptor, bytes, bytes.count) == bytes.count, "the file holds the bytes")
      close(descriptor)
    }
    return damaged
  }
}

/// Inputs that end with a failure, so that the run does not finish.
private struct CutShort: InputSource {
  private var list: InputList

  init(_ inputs: [InputFile]) { list = InputList(inputs) }

  mutating func next() throws(PipelineFailure) -> NextInput {
    switch try list.next() {
    case .input(let input): return .input(input)
    case .idle: return .idle
    case .end: throw .read(FileFailure(.io, "", "The end"))
    }
  }
}
