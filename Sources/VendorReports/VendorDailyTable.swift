package import Tables

extension Table {
  /// The table of what vendors count beside what Apple signed, by day and campaign.
  package static let vendorDaily = Table(
    name: "skan_vendor_daily",
    description: """
      What a vendor's export counts beside the postbacks that Apple signed, by day and campaign. Both are counts of the same \
      things from two sources and are never added. Lost postbacks are left out on both sides. A column that no row of the vendor \
      has a value for is null, and the postbacks that Apple signed are added up over it.
      """,
    columns: [
      Column(.vendor, .nonEmptyText, .required, "The vendor of the export."),
      Column(
        .date,
        .date,
        """
        The day. Of the vendor it is the day of `skan_imported.received_at`, as the export has it; of Apple's postbacks it is the \
        day of receipt in UTC, as in `skan_daily` with the `date_type` `received`. Vendors may use days of other time zones.
        """
      ),
      Column(.appID, .identifier, "The advertised app."),
      Column(.adNetworkID, .nonEmptyText, "The ad network, in lower case and with the suffix of SKAdNetwork."),
      Column(.campaignID, .integer(1...100), "The campaign, before 4.0."),
      Column(.sourceIdentifier, .text(matching: "^[0-9]{2,4}$"), "The source identifier, from 4.0 on."),
      Column(.postbackSequenceIndex, .integer(0...2), "The conversion window."),
      Column(.imported, .count, .required, "The number of postbacks that the vendor counts. No signature was seen."),
      Column(.verified, .count, .required, "The number of accepted postbacks, which Apple signed."),
      Column(.difference, .integer(Int64.min...Int64.max), .required, "`imported` less `verified`."),
      Column(.transactions, .count, .required, "The rows of the vendor that name a transaction."),
      Column(
        .matched,
        .count,
        .required,
        "Those of them whose transaction, window and network an accepted postback has, on whichever day it came."
      ),
      Column(.valuesEqual, .count, .required, "The matched rows with the value of the postback."),
      Column(.valuesDifferent, .count, .required, "The matched rows with another value."),
      Column(
        .valuesZeroForNull,
        .count,
        .required,
        "The matched rows with a 0 where the postback has no value: many write a missing value so."
      ),
      Column(.valuesImportedOnly, .count, .required, "The matched rows with a value where the postback has none."),
      Column(.valuesVerifiedOnly, .count, .required, "The matched rows without a value where the postback has one."),
      Column(.valuesAbsentBoth, .count, .required, "The matched rows without a value, as the postback."),
      Column(
        .currency,
        .currency,
        "The currency of both amounts. Null if there are several, or amounts of different ones."
      ),
      Column(
        .importedRevenue,
        .moneySum,
        "The revenue as the vendor calculates it. Null if it gives none, and without `currency`."
      ),
      Column(
        .verifiedRevenue,
        .moneySum,
        "The estimated revenue of the decoded postbacks. Null if there are none, and without `currency`."
      ),
      Column(
        .importedRevenueByCurrency,
        .object,
        "The vendor's revenue by currency. Null if it is in `imported_revenue`, or there is none."
      ),
      Column(
        .verifiedRevenueByCurrency,
        .object,
        "The revenue of the decoded postbacks by currency. Null if it is in `verified_revenue`, or there is none."
      ),
    ]
  )
}
