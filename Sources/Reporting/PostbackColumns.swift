internal import JSON
internal import Tables

/// The columns of `skan_postbacks` that reports read.
struct PostbackColumns: Sendable {
  let key = Table.postbacks.place(.postbackKey)
  let framework = Table.postbacks.place(.framework)
  let version = Table.postbacks.place(.version)
  let adNetworkID = Table.postbacks.place(.adNetworkID)
  let appID = Table.postbacks.place(.appID)
  let campaignID = Table.postbacks.place(.campaignID)
  let sourceIdentifier = Table.postbacks.place(.sourceIdentifier)
  let sourceAppID = Table.postbacks.place(.sourceAppID)
  let sourceDomain = Table.postbacks.place(.sourceDomain)
  let redownload = Table.postbacks.place(.redownload)
  let conversionType = Table.postbacks.place(.conversionType)
  let fidelityType = Table.postbacks.place(.fidelityType)
  let adInteractionType = Table.postbacks.place(.adInteractionType)
  let didWin = Table.postbacks.place(.didWin)
  let window = Table.postbacks.place(.postbackSequenceIndex)
  let conversionValue = Table.postbacks.place(.conversionValue)
  let coarseValue = Table.postbacks.place(.coarseConversionValue)
  let country = Table.postbacks.place(.countryCode)
  let environment = Table.postbacks.place(.environment)
  let tierFlags = Table.postbacks.place(.tierFlags)
  let channel = Table.postbacks.place(.channel)
  let forwarder = Table.postbacks.place(.forwarder)
  let receivedAt = Table.postbacks.place(.receivedAt)
  let estimated = Table.postbacks.place(.estimatedInstallDate)
  let earliest = Table.postbacks.place(.installDateEarliest)
  let latest = Table.postbacks.place(.installDateLatest)
  let modelID = Table.postbacks.place(.modelID)
  let modelVersion = Table.postbacks.place(.modelVersion)
  let decodeStatus = Table.postbacks.place(.decodeStatus)
  let revenue = Table.postbacks.place(.skanRevenue)
  let minRevenue = Table.postbacks.place(.minRevenue)
  let maxRevenue = Table.postbacks.place(.maxRevenue)
  let currency = Table.postbacks.place(.currency)
  let cumulative = Table.postbacks.place(.cumulative)
  let extras = Table.postbacks.place(.extras)
}

extension RowCursor {
  /// Tells if a cell with a JSON array of words has a word.
  func has(_ word: String, among column: Int) -> Bool { text(column)?.contains("\"\(word)\"") == true }

  /// Tells if a cell has a text.
  func has(_ text: String, in column: Int) -> Bool {
    guard let cell = cell(column), cell.count == text.utf8.count else { return false }
    return bytes[cell.indices].elementsEqual(text.utf8)
  }
}
