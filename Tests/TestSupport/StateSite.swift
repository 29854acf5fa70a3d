package import DurableFiles
package import Ledger
import Foundation

/// A folder with a state and tables, which tests damage and copy.
package struct StateSite {
  package let directory: TemporaryDirectory

  package init() throws {
    directory = try TemporaryDirectory()
    _ = try DurableFolder(making: output)
  }

  package var state: String { "\(directory.path)/state" }
  package var output: String { "\(directory.path)/out" }

  package func ledger(settings: [String: String] = ["format": "jsonl"]) throws -> Ledger {
    try Ledger(try StateFolder(state), settings: settings)
  }

  /// Returns a copy of the folder as a crash at this moment would leave it.
  package func crashed() throws -> StateSite {
    let copy = try StateSite()
    try FileManager.default.removeItem(atPath: copy.output)
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
      try FileManager.default.copyItem(atPath: "\(directory.path)/\(name)", toPath: "\(copy.directory.path)/\(name)")
    }
    return copy
  }

  package func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: "\(directory.path)/\(name)")))
  }

  /// Replaces the content of a file.
  package func change(_ name: String, _ change: (inout [UInt8]) -> Void) throws {
    var bytes = (try? bytes(name)) ?? []
    change(&bytes)
    try Data(bytes).write(to: URL(filePath: "\(directory.path)/\(name)"))
  }

  package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(directory.path)/\(name)") }

  package func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/\(folder)").sorted()
  }
}

/// The failure that `body` throws; nil if it succeeds.
package func stateFailure<Value>(_ body: () throws -> Value) -> FileFailure? {
  do {
    _ = try body()
    return nil
  } catch let failure as FileFailure {
    return failure
  } catch {
    return FileFailure(.io, "", "another error: \(error)")
  }
}
