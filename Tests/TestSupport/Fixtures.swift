internal import FoundationEssentials

/// The folder `Fixtures` of the package.
package enum Fixtures {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures")

  /// The path of a file or folder among the fixtures.
  package static func path(_ path: String) -> String { folder.appending(path: path).path }

  package static func bytes(_ path: String) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: folder.appending(path: path).path) else {
      fatalError("Fixtures/\(path) is not there")
    }
    return [UInt8](data)
  }

  /// The paths of the files in a folder among the fixtures, sorted.
  package static func files(in path: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)
    return (names ?? []).sorted().map { path + "/" + $0 }
  }

  /// The lines that are not empty.
  package static func lines(_ path: String) -> [[UInt8]] {
    bytes(path).split(separator: UInt8(ascii: "\n")).map(Array.init)
  }

  /// The objects of a JSON Lines file.
  package static func objects(_ path: String) -> [Object] { lines(path).map(Object.init) }
}
