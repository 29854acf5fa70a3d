import Base
import InputForms
import Testing

@Suite struct `Times of exports and logs` {
  private static let now = Timestamp(milliseconds: 1_773_050_400_000)

  @Test(arguments: [
    ("2026-03-05T10:00:00+02:00", "2026-03-05T08:00:00Z"), ("2026-03-05", "2026-03-05T00:00:00Z"),
    ("20260305", "2026-03-05T00:00:00Z"), ("20170101", "2017-01-01T00:00:00Z"),
    ("1772704800", "2026-03-05T10:00:00Z"), ("1772704800250", "2026-03-05T10:00:00.250Z"),
    ("1483228800", "2017-01-01T00:00:00Z"), ("05/Mar/2026:10:00:00 +0100", "2026-03-05T09:00:00Z"),
    ("2026-03-05 10:00:00", "2026-03-05T10:00:00Z"), ("2026-03-05T10:00:00", "2026-03-05T10:00:00Z"),
    ("2026-03-05 10:00:00 UTC", "2026-03-05T10:00:00Z"), ("2026-03-05 10:00:00 +0000", "2026-03-05T10:00:00Z"),
    ("2026-03-05 10:00:00 +05:30", "2026-03-05T04:30:00Z"), ("2026-03-05 10:00:00 -0800", "2026-03-05T18:00:00Z"),
    ("2026-03-05 10:00:00.000+0000", "2026-03-05T10:00:00Z"), ("2026-03-05T10:00:00+0530", "2026-03-05T04:30:00Z"),
    ("2026-03-05 10:00:00+00", "2026-03-05T10:00:00Z"), ("2026-03-05 10:00:00 -08", "2026-03-05T18:00:00Z"),
    ("2026-03-05 10:00:00.5+00:00", "2026-03-05T10:00:00.500Z"),
  ])
  func `are read in their forms`(_ text: String, _ expected: String) {
    #expect(Timestamp(exported: text, now: Self.now)?.description == expected)
  }

  @Test(arguments: [
    "", "-", "0", "74", "20161231", "20260231", "20261301", "99999999", "1483228799", "1483228799999", "100000000000",
    "-1772704800", "+1772704800", "1772704800.5", "12/03/2026", "2026-03-05 10:00", "2026-03-05 10:00:00 PST",
    "2026-03-05 10:00:00+2500", "2026-03-05T10:00:00+053", "2026-03-05 10:00:00 + 0530", "now", "a b c d",
  ])
  func `are none before 2017 as numbers, and in no other form`(_ text: String) {
    #expect(Timestamp(exported: text, now: Self.now) == nil)
  }

  @Test(arguments: [
    ("1773136800", true), ("2000000000", true), ("2000000001", false), ("2000000000000", true),
    ("2000000000001", false),
    ("2026030510", false), ("202603051015", false), ("20260305101530", false), ("2017010100", false),
    ("20170101000000", false), ("999999999999999", false), ("2026-03-12", true),
  ])
  func `are no numbers after 2033 and more than a day after now`(_ text: String, _ isTime: Bool) {
    #expect((Timestamp(exported: text, now: Self.now) != nil) == isTime)
    #expect((Timestamp(exported: text, now: Timestamp(milliseconds: 0)) != nil) == isTime)
  }

  @Test(arguments: [("2026030510", true), ("2026116910", true), ("2026116911", false)])
  func `are numbers up to a day after a later now`(_ text: String, _ isTime: Bool) {
    #expect((Timestamp(exported: text, now: Timestamp(milliseconds: 2_026_030_510_000)) != nil) == isTime)
  }
}
