import Base
import Glibc
import Testing

@Suite struct TimestampTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2026-11-01T10:00:00Z", 1_793_527_200_000),
    ("2026-11-01t10:00:00z", 1_793_527_200_000), ("2026-11-01T12:30:00+02:30", 1_793_527_200_000),
    ("2026-11-01T00:00:00-10:00", 1_793_527_200_000), ("2026-11-01T10:00:00-00:00", 1_793_527_200_000),
    ("2026-11-01T10:00:00.5Z", 1_793_527_200_500), ("2026-11-01T10:00:00.123999999+00:00", 1_793_527_200_123),
    ("1970-01-01T01:00:00+01:00", 0), ("1969-12-31T23:00:00-01:00", 0), ("2024-02-29T00:00:00Z", 1_709_164_800_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
    ("2016-12-31T15:59:60.5-08:00", 1_483_228_800_500),
  ])
  func `an RFC 3339 time is parsed to milliseconds`(_ text: String, _ milliseconds: Int64) {
    #expect(Timestamp(text)?.milliseconds == milliseconds)
  }

  @Test(arguments: [
    "", "2026-11-01", "2026-11-01T10:00:00", "2026-11-01 10:00:00Z", "2026-11-01T10:00Z", "2026-1-01T10:00:00Z",
    "2026-11-01T10:00:00.Z", "2026-11-01T10:00:00,5Z", "2026-11-01T10:00:00.5", "2026-11-01T10:00:00Z ",
    "2026-11-01T10:00:00+0200", "2026-11-01T10:00:00+02", "2026-11-01T10:00:00+24:00", "2026-11-01T10:00:00+02:60",
    "2026-11-01T10:00:00*02:00", "2026-11-01T10:00:00ZZZZZZ", "2026-11-01T24:00:00Z", "2026-11-01T10:60:00Z",
    "2016-12-31T23:59:61Z", "2016-12-31T23:58:60Z", "2016-12-31T23:59:60+01:00", "9999-12-31T23:59:60Z",
    "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
    "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "1969-12-31T23:59:59Z",
    "1970-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00Z", "+026-11-01T10:00:00Z",
    "２026-11-01T10:00:00Z",
  ])
  func `other text is refused`(_ text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test func `every prefix and every changed byte of a time is parsed or refused`() {
    let text = Array("2026-11-01T10:00:00.123+02:00".utf8)
    for count in 0...text.count { _ = Timestamp(parsing: text.span.extracting(first: count)) }
    for index in text.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = text
        changed[index] = byte
        _ = Timestamp(parsing: changed.span)
      }
    }
  }

  @Test func `milliseconds are written only if they are not 0`() {
    #expect(Timestamp(milliseconds: 1_793_527_200_000).description == "2026-11-01T10:00:00Z")
    #expect(Timestamp(milliseconds: 1_793_527_200_007).description == "2026-11-01T10:00:00.007Z")
    #expect(Timestamp(milliseconds: -1).description == "1969-12-31T23:59:59.999Z")
  }

  @Test func `times out of range are written as the nearest valid time`() {
    #expect(Timestamp(milliseconds: .min).description == "0000-01-01T00:00:00Z")
    #expect(Timestamp(milliseconds: .max).description == "9999-12-31T23:59:59.999Z")
  }

  @Test func `dates agree with the C library`() {
    var wrong: [Int] = []
    let days = Array(-719_528 ..< -719_000) + Array(stride(from: -719_528, to: 2_932_897, by: 37)) + Array(0..<36_525)
    for day in days {
      let second = day * 86400 + (day & 0xFFFF)
      let time = Timestamp(milliseconds: Int64(second) * 1000)
      if time.description != referenceText(second) || day >= 0 && Timestamp(time.description) != time {
        wrong.append(day)
      }
    }
    #expect(wrong == [])
  }

  private func referenceText(_ second: Int) -> String {
    var (time, parts) = unsafe (time_t(second), tm())
    unsafe gmtime_r(&time, &parts)
    func digits(_ number: Int32, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: count - text.count) + text
    }
    let date = unsafe "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))"
    return unsafe "\(date)T\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))Z"
  }
}
