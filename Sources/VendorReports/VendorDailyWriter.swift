internal import ConversionModel
internal import DerivedTables
package import DurableFiles
internal import JSON
package import Tables

extension VendorComparison {
  /// Writes `skan_vendor_daily` into a folder.
  package func write(_ encoding: TableEncoding, in folder: String) throws(FileFailure) {
    let table = try DerivedTable(.vendorDaily, encoding, in: folder)
    var encoder = RowEncoder(.vendorDaily, encoding)
    var pending = 0
    for vendor in vendors {
      for (key, sums) in vendor.places {
        encoder.encode(vendor.vendor, key, sums)
        pending += 1
        if pending % 2000 == 0 { try table.append(encoder.take()) }
      }
    }
    try table.append(encoder.take())
    try table.complete(summary: json.description)
  }

  /// Writes `skan_vendor_daily` without rows into a folder that has one with rows, because there are no rows of vendors any more.
  package static func empty(_ encoding: TableEncoding, in folder: String) throws(FileFailure) {
    guard try DurableFolder("\(folder)/\(Table.vendorDaily.name)").byteCount(of: ".") != nil else { return }
    let table = try DerivedTable(.vendorDaily, encoding, in: folder)
    try table.complete(summary: JSONValue.object([.init("vendors", .array([]))]).description)
  }

  /// The counts and the tests of all vendors as a JSON object.
  var json: JSONValue { .object([.init("vendors", .array(vendors.map(\.json)))]) }
}

extension RowEncoder {
  fileprivate mutating func encode(_ vendor: String, _ key: VendorKey, _ sums: VendorSums) {
    text(.vendor, vendor)
    date(.date, key.day)
    integer(.appID, key.app)
    text(.adNetworkID, key.network)
    integer(.campaignID, key.campaign)
    text(.sourceIdentifier, key.source)
    integer(.postbackSequenceIndex, key.window)
    integer(.imported, sums.imported)
    integer(.verified, sums.verified)
    integer(.difference, sums.imported - sums.verified)
    integer(.transactions, sums.transactions)
    integer(.matched, sums.matched)
    integer(.valuesEqual, sums.values.equal)
    integer(.valuesDifferent, sums.values.different)
    integer(.valuesZeroForNull, sums.values.zeroForNull)
    integer(.valuesImportedOnly, sums.values.importedOnly)
    integer(.valuesVerifiedOnly, sums.values.verifiedOnly)
    integer(.valuesAbsentBoth, sums.values.absentBoth)
    let currency = sums.currency
    text(.currency, currency)
    amount(.importedRevenue, currency.flatMap { sums.importedRevenue[$0] })
    amount(.verifiedRevenue, currency.flatMap { sums.verifiedRevenue[$0] })
    amounts(.importedRevenueByCurrency, currency == nil ? sums.importedRevenue : [:])
    amounts(.verifiedRevenueByCurrency, currency == nil ? sums.verifiedRevenue : [:])
    endRow()
  }

  private mutating func amounts(_ column: ColumnName, _ amounts: [String: Amount]) {
    guard !amounts.isEmpty else { return null(column) }
    let members = amounts.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    json(column, Array("{\(members.joined(separator: ","))}".utf8).span)
  }
}
