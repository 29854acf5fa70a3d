package import Tables

extension Table {
  /// The table of what vendors say of postbacks without showing Apple's signature.
  package static let imported = Table(
    name: "skan_imported",
    description: """
      A row of an export without Apple's signature, as a vendor wrote it: nothing in it is verified, and no other table has it as a \
      postback. `skan_vendor_daily` compares its sums with those of `skan_postbacks`.
      """,
    key: .importKey,
    columns: [
      Column(
        .importKey,
        .key,
        .required,
        """
        The first 128 bits of a SHA-256: of the vendor, and of the network, the transaction and the window in lower case, joined by U+2063; without \
        a transaction of the vendor, the row, and its number among equal ones.
        """
      ),
      Column(.vendor, .nonEmptyText, .required, "The vendor of the export: `--vendor`, or the name of the mapping."),
      Column(.verification, .word(["none"]), .required, "`none`: no signature of Apple's says that the row is true."),
      Column(.version, .nonEmptyText, "The version of SKAdNetwork, as the vendor writes it."),
      Column(.adNetworkID, .nonEmptyText, "The ad network."),
      Column(.transactionID, .nonEmptyText, "The transaction. Null in exports of sums."),
      Column(.appID, .identifier, "The advertised app; `id525463029` is read as 525463029."),
      Column(.campaignID, .integer(1...100), "The campaign, before 4.0."),
      Column(.sourceIdentifier, .text(matching: "^[0-9]{2,4}$"), "The source identifier, from 4.0 on."),
      Column(.sourceAppID, .identifier, "The app that showed the ad."),
      Column(.sourceDomain, .nonEmptyText, "The website that showed the ad."),
      Column(.redownload, .boolean, "True if the app was installed before."),
      Column(.fidelityType, .integer(0...1), "0 for a view-through ad, 1 for a StoreKit-rendered ad."),
      Column(.didWin, .boolean, "True if the ad network won the attribution."),
      Column(.postbackSequenceIndex, .integer(0...2), "The conversion window."),
      Column(.conversionValue, .integer(0...63), "The fine conversion value."),
      Column(.coarseConversionValue, .word(["low", "medium", "high"]), "The coarse conversion value."),
      Column(.countryCode, .text(matching: "^[A-Z]{2}$"), "The country, if it is said to be Apple's."),
      Column(.receivedAt, .time, "The time at which the vendor received the postback, or the day of a sum."),
      Column(.forwarder, .nonEmptyText, "The party from which the vendor has the row, if the row says so."),
      Column(.networkName, .nonEmptyText, "The name of the ad network."),
      Column(.campaignName, .nonEmptyText, "The name of the campaign."),
      Column(.count, .count, .required, "The number of postbacks that the row stands for: 1, or the count of a sum."),
      Column(.revenue, .money, "The revenue of all postbacks of the row, as the vendor calculates it."),
      Column(.currency, .currency, "The currency of the revenue: that of the row, or else `--currency`."),
      Column(
        .extras,
        .object,
        """
        All other values of the row, and those that their columns cannot have. Addresses, user agents, and ids of persons and \
        devices are left out.
        """
      ),
      Column(.sourceFile, .text, .required, "The path of the file."),
      Column(.sourceLine, .integer(1...Int64.max), .required, "The line on which the row begins."),
    ],
    rules: []
  )
}
