import DerivedTables
import Foundation
import TestSupport
import Testing

@testable import PostbackView

@Suite struct `The folder of temporary results` {
  @Test func `can be read by nobody else, and keeps its rights`() throws {
    let folder = try TemporaryFolder()
    let path = try TemporaryPlace.make(in: folder.path("."))
    let cache = try PartCache(temporary: path, over: folder.path("out"), program: "")
    let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(rights == 0o700)
    withExtendedLifetime(cache) {}
  }

  @Test func `is removed after a killed process, and links to other folders are not followed`() throws {
    let folder = try TemporaryFolder()
    // No process has this number, which is above the largest.
    let (left, link) = ("postback-view-4194400-abcdef", "postback-view-4194401-abcdef")
    for name in [left, "victim"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
    }
    try folder.makeFile("\(left)/page", holding: [1])
    let data = try folder.makeFile("victim/data", holding: [1])
    try FileManager.default.createSymbolicLink(atPath: folder.path(link), withDestinationPath: folder.path("victim"))
    _ = try TemporaryPlace.make(in: folder.path("."))
    #expect(!FileManager.default.fileExists(atPath: folder.path(left)))
    #expect(FileManager.default.fileExists(atPath: data))
  }
}
