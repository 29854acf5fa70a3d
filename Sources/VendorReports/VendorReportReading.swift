internal import Base
internal import ConversionModel
package import DurableFiles
internal import JSON
internal import DerivedTables

extension VendorReport {
  /// Reads what vendors say that the daily report in a folder compared; empty if it has none. The sums by place are in the table.
  package static func read(in folder: String) throws(FileFailure) -> [VendorReport] {
    let summary = try DerivedTable.summary(of: .vendorDaily, in: folder)
    return summary?["vendors"]?.elements?.compactMap { VendorReport($0) } ?? []
  }

  private init?(_ json: JSONValue) {
    guard let vendor = json["vendor"]?.text else { return nil }
    func count(_ key: String) -> Int { Int(clamping: json[key]?.integer ?? 0) }
    self.init(
      vendor: vendor,
      columns: json["compared_by"]?.elements?.compactMap(\.text) ?? [],
      total: VendorSums(json),
      rows: count("rows"),
      lost: count("lost_left_out"),
      before: count("before_removed_days"),
      withoutCurrency: count("revenue_without_currency"),
      unmatched: VendorUnmatched(json["unmatched"]),
      tests: json["tests"]?.elements?.compactMap { VendorTest($0, vendor) } ?? [],
      omission: json["counts_not_tested"]?.text.flatMap(Omission.init)
    )
  }
}

extension VendorSums {
  /// Reads the members of a JSON object with counts.
  fileprivate init(_ json: JSONValue) {
    func count(_ key: String) -> Int64 { json[key]?.integer ?? 0 }
    func amounts(_ key: String) -> [String: Amount] {
      guard case .object(let members)? = json[key] else { return [:] }
      return members.reduce(into: [:]) { amounts, member in
        guard case .number(let text) = member.value else { return }
        amounts[member.key] = Amount(written: text.utf8.span)
      }
    }
    self.init()
    (imported, verified) = (count("imported"), count("verified"))
    (transactions, matched) = (count("transactions"), count("matched"))
    (values.equal, values.different) = (count("values_equal"), count("values_different"))
    (values.higher, values.zeroForNull) = (count("values_higher"), count("values_zero_for_null"))
    (values.importedOnly, values.verifiedOnly) = (count("values_imported_only"), count("values_verified_only"))
    values.absentBoth = count("values_absent_both")
    (importedRevenue, verifiedRevenue) = (amounts("imported_revenue"), amounts("verified_revenue"))
  }
}

extension VendorTest {
  fileprivate init?(_ json: JSONValue, _ vendor: String) {
    func day(_ key: String) -> Int64? { json[key]?.text.flatMap { Timestamp(dateOrTime: $0) }?.daysSince1970 }
    guard let name = json["test"]?.text.flatMap(Name.init), let first = day("first_day"), let last = day("last_day"),
      first <= last, let pValue = json["p_value"]?.decimal, let corrected = json["corrected_p_value"]?.decimal
    else { return nil }
    self.init(
      name: name,
      vendor: vendor,
      app: json["app_id"]?.integer,
      network: json["ad_network_id"]?.text,
      days: first...last,
      dayCount: Int(clamping: json["days"]?.integer ?? 0),
      sums: VendorSums(json),
      pValue: pValue,
      correctedPValue: corrected
    )
  }
}
