internal import JSON
package import Tables

/// The columns of `skan_postbacks` that reports read.
package struct PostbackColumns: Sendable {
  package let key = Table.postbacks.place(.postbackKey)
  package let framework = Table.postbacks.place(.framework)
  package let version = Table.postbacks.place(.version)
  package let adNetworkID = Table.postbacks.place(.adNetworkID)
  package let appID = Table.postbacks.place(.appID)
  package let campaignID = Table.postbacks.place(.campaignID)
  package let sourceIdentifier = Table.postbacks.place(.sourceIdentifier)
  package let sourceAppID = Table.postbacks.place(.sourceAppID)
  package let sourceDomain = Table.postbacks.place(.sourceDomain)
  package let redownload = Table.postbacks.place(.redownload)
  package let conversionType = Table.postbacks.place(.conversionType)
  package let fidelityType = Table.postbacks.place(.fidelityType)
  package let adInteractionType = Table.postbacks.place(.adInteractionType)
  package let didWin = Table.postbacks.place(.didWin)
  package let window = Table.postbacks.place(.postbackSequenceIndex)
  package let conversionValue = Table.postbacks.place(.conversionValue)
  package let coarseValue = Table.postbacks.place(.coarseConversionValue)
  package let country = Table.postbacks.place(.countryCode)
  package let environment = Table.postbacks.place(.environment)
  package let tierFlags = Table.postbacks.place(.tierFlags)
  package let channel = Table.postbacks.place(.channel)
  package let forwarder = Table.postbacks.place(.forwarder)
  package let receivedAt = Table.postbacks.place(.receivedAt)
  package let receivedAtSource = Table.postbacks.place(.receivedAtSource)
  package let estimated = Table.postbacks.place(.estimatedInstallDate)
  package let earliest = Table.postbacks.place(.installDateEarliest)
  package let latest = Table.postbacks.place(.installDateLatest)
  package let modelID = Table.postbacks.place(.modelID)
  package let modelVersion = Table.postbacks.place(.modelVersion)
  package let decodeStatus = Table.postbacks.place(.decodeStatus)
  package let revenue = Table.postbacks.place(.skanRevenue)
  package let minRevenue = Table.postbacks.place(.minRevenue)
  package let maxRevenue = Table.postbacks.place(.maxRevenue)
  package let currency = Table.postbacks.place(.currency)
  package let cumulative = Table.postbacks.place(.cumulative)
  package let extras = Table.postbacks.place(.extras)

  /// Finds the columns.
  package init() {}
}

extension RowCursor {
  /// Tells if a cell with a JSON array of words has a word.
  package func has(_ word: String, among column: Int) -> Bool { text(column)?.contains("\"\(word)\"") == true }

  /// Tells if a cell has a text.
  package func has(_ text: String, in column: Int) -> Bool {
    guard let cell = cell(column), cell.count == text.utf8.count else { return false }
    return bytes[cell.indices].elementsEqual(text.utf8)
  }
}
