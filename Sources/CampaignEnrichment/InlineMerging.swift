internal import LookupTables
internal import PostbackCopies

extension EnrichedRow {
  /// Takes over the campaign that the lookup table has, and adds that of a forwarder where the table has none.
  ///
  /// The table is decided by a person, and the forwarder's values are not signed. So a forwarder's value never replaces
  /// one of the table, and from the level on which both differ it is not used at all.
  mutating func fill(_ match: CampaignMatch, _ texts: TextPool) {
    (status, candidateCount) = (match.status, match.count)
    placement = texts[match.placement]
    geo = texts[match.geo]
    campaign = [
      texts[match.campaign.id], texts[match.campaign.name], texts[match.adgroup.id], texts[match.adgroup.name],
      texts[match.creative.id], texts[match.creative.name],
    ]
    let hasInline = inline.hasCampaign && fillInline(match, texts)
    source = match.hasValues ? hasInline ? .both : .table : hasInline ? .inline : nil
  }

  /// Adds the campaign of a forwarder. Returns false if none of it is used.
  private mutating func fillInline(_ match: CampaignMatch, _ texts: TextPool) -> Bool {
    var hasInline = false
    for level in 0..<campaign.count / 2 {
      let (idField, nameField) = (InlineValues.Field.allCases[2 * level], InlineValues.Field.allCases[2 * level + 1])
      let (id, name) = (inline[idField], inline[nameField])
      guard id != nil || name != nil else { continue }
      if level == 0, match.status == .ambiguous {
        let fits = match.campaigns.contains { !Self.differ(id, name, from: (texts[$0.id], texts[$0.name])) }
        hasConflict = !fits
      } else {
        hasConflict = Self.differ(id, name, from: (campaign[idField.rawValue], campaign[nameField.rawValue]))
      }
      if hasConflict { break }
      hasInline = true
      campaign[idField.rawValue] = campaign[idField.rawValue] ?? id
      campaign[nameField.rawValue] = campaign[nameField.rawValue] ?? name
    }
    return hasInline
  }

  /// Tells if an id and a name are not those of the table. The ids decide where both have one.
  private static func differ(_ id: String?, _ name: String?, from table: (id: String?, name: String?)) -> Bool {
    if let id, let other = table.id { return id != other }
    if let name, let other = table.name { return name != other }
    return false
  }
}
