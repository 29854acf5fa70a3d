package import PostbackCopies
package import Tables

// The columns of `skan_settled` for the agreement of copies in a field.
extension UnsignedField {
  /// The names of the columns of `skan_settled` that the field has.
  package var columnNames: (state: ColumnName, difference: ColumnName, direct: ColumnName, forwarded: ColumnName) {
    switch self {
    case .conversionValue:
      (.conversionValueState, .conversionValueDifference, .conversionValueDirect, .conversionValueForwarded)
    case .coarseConversionValue:
      (
        .coarseConversionValueState, .coarseConversionValueDifference, .coarseConversionValueDirect,
        .coarseConversionValueForwarded
      )
    case .countryCode: (.countryCodeState, .countryCodeDifference, .countryCodeDirect, .countryCodeForwarded)
    case .adInteractionType:
      (.adInteractionTypeState, .adInteractionTypeDifference, .adInteractionTypeDirect, .adInteractionTypeForwarded)
    case .redownload: (.redownloadState, .redownloadDifference, .redownloadDirect, .redownloadForwarded)
    case .sourceAppID: (.sourceAppIDState, .sourceAppIDDifference, .sourceAppIDDirect, .sourceAppIDForwarded)
    }
  }

  /// The columns of `skan_settled` that the field has.
  var columns: [Column] {
    let names = columnNames
    let name = "`\(self.name.rawValue)`"
    return [
      Column(
        names.state,
        .word(of: FieldState.self),
        """
        The agreement of the copies in \(name): `confirmed` if a device and a forwarder have the same value; `conflict` if \
        copies differ; `direct_only` or `forwarded_only` if there are such copies alone; `absent_both` if a device and a \
        forwarder have no value; `unreadable` if a copy's value cannot be read and the others do not differ. Null if the \
        postback cannot have the field, or Apple signs it there.
        """
      ),
      Column(
        names.difference,
        .word(of: FieldDifference.self),
        """
        The difference in \(name): `direct_conflict` if devices' own copies differ. Otherwise, if there is one, that of the \
        first other copy that differs from it: `changed`, `dropped`, `added` or `zero_for_null`. Without a device's own \
        copy `self_conflict` if a forwarder that is named contradicts itself, and `forwarders_differ` if others do, such \
        as copies without the name of a forwarder. Null if there is none. A network that writes a missing value as 0 has \
        `zero_for_null` without a conflict.
        """
      ),
      Column(
        names.direct,
        .nonEmptyText,
        """
        The different values of \(name) in devices' own copies, each once, in the order of receipt, joined by semicolons; \
        `absent` for none. Null unless there is a conflict, and if there is no such copy.
        """
      ),
      Column(names.forwarded, .nonEmptyText, "The different values of \(name) in the other copies, in the same form."),
    ]
  }
}
