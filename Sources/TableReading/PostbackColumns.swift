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
  package let marketplaceIdentifier = Table.postbacks.place(.marketplaceIdentifier)
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
  package let transactionID = Table.postbacks.place(.transactionID)
  package let signatureR = Table.postbacks.place(.signatureR)
  package let file = Table.postbacks.place(.sourceFile)
  package let line = Table.postbacks.place(.sourceLine)

  /// Finds the columns.
  package init() {}
}

/// The columns of `skan_rejects` that reports and comparisons of copies read.
package struct RejectColumns: Sendable {
  package let code = Table.rejects.place(.rejectCode)
  package let digest = Table.rejects.place(.rawSHA256)
  package let body = Table.rejects.place(.rawBody)
  package let bodyBase64 = Table.rejects.place(.rawBodyBase64)
  package let query = Table.rejects.place(.query)
  package let channel = Table.rejects.place(.channel)
  package let forwarder = Table.rejects.place(.forwarder)
  package let address = Table.rejects.place(.remoteAddress)
  package let receivedAt = Table.rejects.place(.receivedAt)
  package let receivedAtSource = Table.rejects.place(.receivedAtSource)
  package let file = Table.rejects.place(.sourceFile)
  package let line = Table.rejects.place(.sourceLine)
  package let firstSeen = Table.rejects.place(.firstSeenPostbackKey)
  package let conflictingFields = Table.rejects.place(.conflictingFields)
  package let transactionID = Table.rejects.place(.transactionID)
  package let adNetworkID = Table.rejects.place(.adNetworkID)
  package let appID = Table.rejects.place(.appID)

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
