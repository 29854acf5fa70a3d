import Foundation

/// A folder for one test, removed with all that is in it when nobody holds it any more.
final class TemporaryFolder: Sendable {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("postback-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of something in the folder, whether it is there or not.
  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// The names of all that is in the folder, hidden or not.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }

  /// The bytes of a file in the folder.
  func contents(of name: String) throws -> [UInt8] { Array(try Data(contentsOf: url.appendingPathComponent(name))) }

  /// The words of a text file in the folder: options, as `generate --keys` writes them.
  func words(of name: String) throws -> [String] {
    String(decoding: try contents(of: name), as: UTF8.self).split { $0.isWhitespace }.map(String.init)
  }

  /// Makes a file that holds these bytes; its path.
  @discardableResult
  func makeFile(_ name: String, holding bytes: [UInt8] = []) throws -> String {
    try Data(bytes).write(to: url.appendingPathComponent(name))
    return path(name)
  }
}
