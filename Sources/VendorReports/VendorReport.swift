internal import Base
internal import ConversionModel
package import JSON

/// The counts of one vendor, beside those of what Apple signed.
package struct VendorReport: Sendable {
  /// The reasons for which the counts of a vendor are not tested.
  package enum Omission: String, Sendable {
    /// The rows have no days.
    case noDays = "no_days"
    /// The rows do not name the window, and there are postbacks of later windows.
    case noWindows = "no_windows"
    /// No row is of a network and an app that are known.
    case notMatched = "not_matched"
    /// Both sides have too few whole days, or too few postbacks.
    case tooFew = "too_few"
  }

  /// The vendor.
  package let vendor: String
  /// The columns that the sums are compared by.
  package let columns: [String]
  /// The sums of all places.
  package let total: VendorSums
  /// The number of rows of `skan_imported`; those of lost postbacks, and those of days whose accepted postbacks were removed
  /// because of their age, which are left out; and those whose revenue has no currency.
  package let rows, lost, before, withoutCurrency: Int
  /// The rows that cannot be compared as they are.
  package let unmatched: VendorUnmatched
  /// The tests, those with the least p-value first.
  package let tests: [VendorTest]
  /// The reason for which there is no test of the counts; nil if there is one.
  package let omission: Omission?
  /// The sums by place.
  let places: [(key: VendorKey, sums: VendorSums)]

  /// The differences that are larger than what is tolerated, beyond chance.
  package var differences: [VendorTest] { tests.filter(\.isSignificant) }

  /// The rows that are not compared, and what to do, as sentences.
  package var warnings: [String] { unmatched.sentences(on: vendor) }

  static func all(_ exports: [VendorExport], received: ClosedRange<Int64>?) -> [VendorReport] {
    let tests = VendorTest.all(exports, received: received)
    return exports.map { export in VendorReport(export, tests.filter { $0.vendor == export.vendor }) }
  }

  private init(_ export: VendorExport, _ tests: [VendorTest]) {
    var omission: Omission?
    if !tests.contains(where: { $0.name != .otherValues }) {
      let hasWindows = export.columns.contains(.window) || !export.hasLaterWindows
      omission =
        export.keys.isEmpty && export.unmatched != VendorUnmatched()
        ? .notMatched : !export.columns.contains(.date) ? .noDays : hasWindows ? .tooFew : .noWindows
    }
    let places = export.sorted
    self.init(
      vendor: export.vendor,
      columns: export.columns.names,
      total: places.reduce(into: VendorSums()) { $0 += $1.sums },
      rows: export.rows,
      lost: export.lost,
      before: export.before,
      withoutCurrency: export.withoutCurrency,
      unmatched: export.unmatched,
      tests: tests,
      omission: omission,
      places: places
    )
  }

  init(
    vendor: String,
    columns: [String],
    total: VendorSums,
    rows: Int,
    lost: Int,
    before: Int,
    withoutCurrency: Int,
    unmatched: VendorUnmatched,
    tests: [VendorTest],
    omission: Omission?,
    places: [(key: VendorKey, sums: VendorSums)] = []
  ) {
    (self.vendor, self.columns, self.total, self.places) = (vendor, columns, total, places)
    (self.rows, self.lost, self.before, self.withoutCurrency) = (rows, lost, before, withoutCurrency)
    (self.unmatched, self.tests, self.omission) = (unmatched, tests, omission)
  }

  /// The counts of all places as a JSON object.
  package var json: JSONValue {
    .object(
      [.init("vendor", .string(vendor)), .init("rows", .integer(rows))] + total.members + [
        .init("lost_left_out", .integer(lost)), .init("before_removed_days", .integer(before)),
        .init("revenue_without_currency", .integer(withoutCurrency)), .init("unmatched", unmatched.json),
        .init("compared_by", .texts(columns)), .init("places", .integer(places.count)),
        .init("tests", .array(tests.map(\.json))),
        .init("counts_not_tested", .text(omission?.rawValue)),
      ]
    )
  }

  /// The agreement of the rows with a transaction as a JSON object.
  package var agreement: JSONValue {
    .object([.init("vendor", .string(vendor)), .init("rows", .integer(rows))] + total.agreement)
  }
}

extension VendorSums {
  /// The members of a JSON object with the counts.
  var members: [JSONValue.Member] {
    [
      .init("imported", .integer(imported)), .init("verified", .integer(verified)),
      .init("difference", .integer(imported - verified)),
    ] + agreement + [
      .init("imported_revenue", Self.json(importedRevenue)), .init("verified_revenue", Self.json(verifiedRevenue)),
    ]
  }

  fileprivate var agreement: [JSONValue.Member] {
    [
      .init("transactions", .integer(transactions)), .init("matched", .integer(matched)),
      .init("values_equal", .integer(values.equal)), .init("values_different", .integer(values.different)),
      .init("values_higher", .integer(values.higher)), .init("values_zero_for_null", .integer(values.zeroForNull)),
      .init("values_imported_only", .integer(values.importedOnly)),
      .init("values_verified_only", .integer(values.verifiedOnly)),
      .init("values_absent_both", .integer(values.absentBoth)),
    ]
  }

  private static func json(_ amounts: [String: Amount]) -> JSONValue {
    .object(amounts.sorted { $0.key < $1.key }.map { .init($0.key, .number($0.value.description)) })
  }
}

extension VendorTest {
  var json: JSONValue {
    .object(
      [
        .init("test", .string(name.rawValue)), .init("app_id", .integer(app)),
        .init("ad_network_id", .text(network)),
        .init("first_day", .string(Self.name(of: days.lowerBound))),
        .init("last_day", .string(Self.name(of: days.upperBound))), .init("days", .integer(dayCount)),
        .init("tolerance", .number("\(name.tolerance)")),
      ] + sums.members + [
        .init("p_value", .number("\(pValue)")), .init("corrected_p_value", .number("\(correctedPValue)")),
        .init("significant", .bool(isSignificant)),
      ]
    )
  }

  private static func name(of day: Int64) -> String {
    String(Timestamp(milliseconds: day * 86_400_000).description.prefix(10))
  }
}
