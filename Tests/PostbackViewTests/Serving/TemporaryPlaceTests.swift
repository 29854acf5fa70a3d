import DerivedTables
import Foundation
import TestSupport
import Testing

@testable import PostbackView

@Suite struct `The folder of temporary results` {
  @Test func `can be read by nobody else, and keeps its rights`() throws {
    let folder = try TemporaryFolder()
    let place = try TemporaryPlace(in: folder.path("."))
    let cache = try PartCache(temporary: place.path, over: folder.path("out"), program: "", keeper: place)
    let rights = try FileManager.default.attributesOfItem(atPath: place.path)[.posixPermissions] as? Int
    #expect(rights == 0o700)
    withExtendedLifetime(cache) {}
  }

  @Test func `is removed after a killed process, and links to other folders are not followed`() throws {
    let folder = try TemporaryFolder()
    let (left, link) = ("postback-view-abcdef", "postback-view-mnopqr")
    for name in [left, "victim"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
    }
    for name in ["\(left)/page", "\(left)/lock"] { try folder.makeFile(name, holding: [1]) }
    let data = try folder.makeFile("victim/data", holding: [1])
    try FileManager.default.createSymbolicLink(atPath: folder.path(link), withDestinationPath: folder.path("victim"))
    let place = try TemporaryPlace(in: folder.path("."))
    #expect(!FileManager.default.fileExists(atPath: folder.path(left)))
    #expect(FileManager.default.fileExists(atPath: data))
    withExtendedLifetime(place) {}
  }

  @Test(arguments: [("postback-view-abcdef", "page"), ("postback-view-soak", "lock"), ("postback-viewer", "lock")])
  func `of others is kept, which has no lock or another name`(name: String, file: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
    let data = try folder.makeFile("\(name)/\(file)", holding: [1])
    let place = try TemporaryPlace(in: folder.path("."))
    #expect(FileManager.default.fileExists(atPath: data))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(name)) == [file])
    withExtendedLifetime(place) {}
  }

  @Test func `is kept while its owner lives, whatever the number of the process is`() throws {
    let folder = try TemporaryFolder()
    var places = try (0..<3).map { _ in try TemporaryPlace(in: folder.path(".")) }
    #expect(places.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
    places.removeFirst()
    let another = try TemporaryPlace(in: folder.path("."))
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path("."))).count == 3)
    withExtendedLifetime((places, another)) {}
  }
}
