extension String {
  /// The id of an ad network in lower case, with the suffix of SKAdNetwork also in place of that of AdAttributionKit, because Apple
  /// takes both for the same network.
  package var canonicalNetworkID: String {
    let id = lowercased()
    return id.hasSuffix(".adattributionkit") ? id.dropLast("adattributionkit".count) + "skadnetwork" : id
  }
}
