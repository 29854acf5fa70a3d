internal import Foundation
internal import Synchronization

/// A temporary folder of a test, which is removed with its content when the object is released, or else when the tests end.
package final class TemporaryFolder: Sendable {
  private let url: URL

  /// All folders that were created. Some belong to global objects, which are never released, and a process that a test
  /// started may write to its folder after it was removed.
  private static let created = Mutex<[URL]>([])

  /// Has the folders removed at the end, once.
  private static let removal: Void = {
    atexit {
      TemporaryFolder.created.withLock { created in
        for url in created { try? FileManager.default.removeItem(at: url) }
      }
    }
  }()

  /// Creates an empty folder.
  package init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("postback-\(UUID().uuidString)")
    Self.removal
    Self.created.withLock { $0.append(url) }
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Returns the path of a name in the folder, which need not exist.
  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// The names of all entries of the folder, hidden ones included.
  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }

  /// Returns the paths of the files below a folder, relative to it and sorted, hidden ones included.
  package func files(below name: String) throws -> [String] {
    let folder = URL(fileURLWithPath: path(name)).resolvingSymlinksInPath().path
    return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { file in
      (try? path("\(name)/\(file)").resourceIsFolder) == false
    }
    .sorted()
  }

  /// Returns the bytes of a file in the folder.
  package func contents(of name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: url.appendingPathComponent(name)))
  }

  /// Returns the words of a text file in the folder, such as the options that `generate --keys` writes.
  package func words(of name: String) throws -> [String] {
    String(decoding: try contents(of: name), as: UTF8.self).split { $0.isWhitespace }.map(String.init)
  }

  /// Writes a file with these bytes, and returns its path.
  @discardableResult
  package func makeFile(_ name: String, holding bytes: [UInt8] = []) throws -> String {
    try Data(bytes).write(to: url.appendingPathComponent(name))
    return path(name)
  }
}

extension String {
  fileprivate var resourceIsFolder: Bool {
    get throws { try FileManager.default.attributesOfItem(atPath: self)[.type] as? FileAttributeType == .typeDirectory }
  }
}
