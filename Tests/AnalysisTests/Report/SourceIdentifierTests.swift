import Testing

@testable import Analysis
@testable import TableReading

@Suite struct `Source identifiers of rejects` {
  @Test func `are kept of the last two weeks alone, by origin of the time`() {
    var groups = GroupTallies()
    func add(_ origin: String?, _ day: String?) {
      var key = GroupKey()
      for text in [origin, day, "adjust", nil, nil, "signature_invalid", "1234"] { key.append(text) }
      groups.add(key)
    }
    for day in 1...31 { add(nil, "2026-03-\(day < 10 ? "0" : "")\(day)") }
    for day in 1...9 { add("file_mtime", "2026-05-0\(day)") }
    add(nil, nil)
    SourceIdentifiers.keepLatest(&groups)
    let days = groups.tallies.map { $0.key.values[1] }
    #expect(days == (18...31).map { "2026-03-\($0)" } + (1...9).map { "2026-05-0\($0)" })
  }
}
