import Foundation
import TestSupport
import Testing

@testable import PostbackLookup

@Suite struct `An index of rows` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func entries(_ count: Int) -> [RowIndex.Entry] {
    (0..<count).map { number in
      RowIndex.Entry(hash: LookupValue(.transaction, "id-\(number / 2)").hash, place: Int64(number) * 100)
    }
  }

  private func write(_ count: Int) throws -> String {
    let path = folder.path("index")
    try RowIndex.write(entries(count), covering: 1 << 40, identity: 7, checksum: 8, to: path)
    return path
  }

  @Test(arguments: [0, 1, 2, 127, 1000, 100_000]) func `has the places of each value`(_ count: Int) throws {
    let index = try #require(RowIndex(try write(count)))
    #expect(index.covered == 1 << 40 && index.identity == 7 && index.checksum == 8)
    for number in stride(from: 0, to: count, by: max(count / 500, 1)) {
      let places = index.places(of: LookupValue(.transaction, "ID-\(number / 2)").hash)
      let first = Int64(number / 2) * 200
      #expect(places == (number / 2 * 2 + 1 < count ? [first, first + 100] : [first]))
    }
    for number in 0..<100 { #expect(index.places(of: LookupValue(.key, "id-\(number)").hash) == []) }
    #expect(try folder.names == ["index"])
  }

  @Test func `is not believed where a byte of it is another one`() throws {
    let path = try write(1000)
    let whole = try folder.contents(of: "index")
    var wrong = 0
    for place in stride(from: 0, to: whole.count, by: 61) {
      var bytes = whole
      bytes[place] ^= 0x10
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      guard let index = RowIndex(path) else { continue }
      for number in 0..<500 {
        let found = index.places(of: LookupValue(.transaction, "id-\(number)").hash)
        if let found, found != [Int64(number) * 200, Int64(number) * 200 + 100] { wrong += 1 }
      }
    }
    #expect(wrong == 0)
    for length in [0, 10, 63, 64, 100, whole.count - 1] {
      try Data(whole.prefix(length)).write(to: URL(fileURLWithPath: path))
      let index = RowIndex(path)
      let places = (0..<500).map { index?.places(of: LookupValue(.transaction, "id-\($0)").hash) }
      #expect(places.contains { $0 == nil }, "\(length)")
      #expect(places.allSatisfy { $0 != [] }, "\(length)")
    }
  }
}
