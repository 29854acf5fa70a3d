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

  @Test func `are the identifier, or else the campaign id, of one record after the other`() {
    let records: [(text: String, number: String?)] = [
      (#"{"source-identifier":"1234","campaign-id":7}"#, "1234"), (#"{"campaign-id":7}"#, "7"),
      (#"{"campaign-id":-0}"#, "0"),
      (#"{"source-identifier":12,"campaign-id":7}"#, "7"), (#"{"source-identifier":"\u0031\n"}"#, "1\n"),
      (#"{"source-identifier":"123456789012345678901","campaign-id":7}"#, nil), (#"["1234"]"#, nil), ("{}", nil),
      (#"{"campaign-id":"7"}"#, nil), (#"{"campaign-id":7.0}"#, nil), (#"{"campaign-id":7"#, nil), ("", nil),
      (#"{"source-identifier":"1","source-identifier":"2"}"#, nil), (#"{"campaign-id":92233720368547758070}"#, nil),
    ]
    var reader = SourceIdentifiers.Reader()
    for (text, number) in records + records.reversed() {
      let found = reader.read(Array(text.utf8).span)
      #expect(found == number, "\(text)")
    }
  }
}
