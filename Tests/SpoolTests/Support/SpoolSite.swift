@testable import DurableFiles
@testable import Spool
import Foundation
import TestSupport
import Testing

@testable import PostbackPipeline

/// A temporary spool with the operations of producers, operators and a consumer.
struct SpoolSite {
  let directory: TemporaryDirectory

  /// Creates only the folder, as an operator does.
  init() throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  var path: String { "\(directory.path)/spool" }

  func folder(deletes: Bool = false, rename: SpoolRename = .atOnce) throws -> SpoolFolder {
    try SpoolFolder(path, deletes: deletes, rename: rename)
  }

  /// Adds a file as the contract requires: written elsewhere, then renamed.
  func put(_ name: String, _ text: String = "text") throws {
    try write("tmp/\(name)", text)
    try #require(unsafe rename("\(path)/tmp/\(name)", "\(path)/new/\(name)") == 0)
  }

  /// Writes a file in place.
  func write(_ name: String, _ text: String) throws {
    let descriptor = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(Array(text.utf8).writeAll(to: descriptor))
  }

  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: "\(path)/\(name)")), as: UTF8.self)
  }

  /// The text of a file that was put away.
  func done(_ name: String) throws -> String {
    let folders = try PutAwayFolders(of: path).folders.map(\.path).filter { $0.contains("/done") }
    let paths = folders.map { "\($0)/\(name)" }.filter { FileManager.default.fileExists(atPath: $0) }
    return String(decoding: try Data(contentsOf: URL(filePath: try #require(paths.first))), as: UTF8.self)
  }

  /// The names in a folder, including hidden ones, sorted.
  func names(_ folder: String) throws -> [String] { try Directory.names(in: "\(path)/\(folder)") }

  /// The names of the files in the folders of `done/`, sorted.
  func done() throws -> [String] {
    let folders = try PutAwayFolders(of: path).folders.filter { $0.path.contains("/done") }
    return try folders.flatMap { folder in
      try Directory.names(in: folder.path).filter { name in
        !name.hasPrefix(".") && (try? FileStatus(path: "\(folder.path)/\(name)"))?.kind != .directory
      }
    }
    .sorted()
  }

  /// Opens all files of a scan as a consumer does, and returns the names in the order of reading.
  @discardableResult
  func take(from folder: SpoolFolder, at now: ContinuousClock.Instant = .now) throws -> [String] {
    var read: [String] = []
    for entry in try folder.scan(at: now) {
      do {
        let file = try folder.open(entry)
        read.append(entry.name)
        #expect(folder.archive(entry, file.identity, at: now).problem == nil)
      } catch {
        #expect(folder.fail(entry, reason: error.reason, at: now) == .done)
      }
    }
    return read
  }
}

/// The refusal of opening a file; nil if it is opened.
func spoolRefusal(_ folder: SpoolFolder, _ entry: SpoolEntry) -> SpoolRefusal? {
  do {
    _ = try folder.open(entry)
    return nil
  } catch {
    return error
  }
}

/// The failure that `body` throws; nil if it succeeds.
func spoolFailure<Value>(_ body: () throws(FileFailure) -> Value) -> FileFailure? {
  do {
    _ = try body()
    return nil
  } catch {
    return error
  }
}
