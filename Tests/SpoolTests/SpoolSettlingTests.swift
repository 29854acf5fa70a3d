@testable import Spool
import Foundation
import TestSupport
import Testing

@testable import PostbackPipeline

@Suite struct `A spool of files that are written in place` {
  private let start = ContinuousClock.now

  private func folder(_ site: SpoolSite) throws -> SpoolFolder { try SpoolFolder(site.path, settle: .seconds(10)) }

  private func names(_ folder: SpoolFolder, after seconds: Int) throws -> [String] {
    try folder.scan(at: start + .seconds(seconds)).map(\.name)
  }

  @Test func `gives a file after it has not grown for the settle time`() throws {
    let site = try SpoolSite()
    let folder = try folder(site)
    try site.write("a", "1")
    #expect(try names(folder, after: 0) == [])
    #expect(folder.nextScan == start + .seconds(10))
    try site.write("a", "12")
    #expect(try names(folder, after: 9) == [])
    #expect(try names(folder, after: 18) == [])
    #expect(folder.nextScan == start + .seconds(19))
    #expect(try names(folder, after: 19) == ["a"])
    #expect(folder.nextScan == nil)
    try site.write("a", "123")
    #expect(try names(folder, after: 20) == [])
    #expect(try names(folder, after: 30) == ["a"])
  }

  @Test func `restarts the settle time for a replaced file and for one that was away`() throws {
    let site = try SpoolSite()
    let folder = try folder(site)
    try site.write("a", "1")
    #expect(try names(folder, after: 0) == [])
    try site.write("done/b", "2")
    try #require(unsafe rename("\(site.path)/done/b", "\(site.path)/a") == 0)
    #expect(try names(folder, after: 11) == [])
    try #require(unsafe rename("\(site.path)/a", "\(site.path)/done/a") == 0)
    #expect(try names(folder, after: 15) == [])
    try #require(unsafe rename("\(site.path)/done/a", "\(site.path)/a") == 0)
    #expect(try names(folder, after: 22) == [])
    #expect(try names(folder, after: 32) == ["a"])
  }

  @Test func `never gives hidden files and folders`() throws {
    let site = try SpoolSite()
    let folder = try folder(site)
    try site.write("b", "1")
    try site.write("a", "1")
    try site.write(".c", "1")
    try #require(unsafe mkdir("\(site.path)/upload", 0o700) == 0)
    try site.write("upload/d", "1")
    try #require(unsafe mkfifo("\(site.path)/pipe", 0o600) == 0)
    #expect(try site.take(from: folder, at: start) == [])
    #expect(try site.take(from: folder, at: start + .seconds(10)) == ["a", "b"])
    #expect(try site.names("") == [".c", ".lock", "done", "failed", "upload"])
    #expect(try site.done() == ["a", "b"])
    #expect(try site.names("failed") == ["pipe", "pipe.reason"])
  }
}
