package import SKAdNetwork

/// The names under which columns and keys of others have the fields of postbacks and the keys of envelopes.
package enum FieldNames {
  /// Returns the field with a name: Apple's, the same with underscores or in another letter case, or a known synonym.
  package static func field(_ name: String) -> Field? {
    let name = String(name.lowercased().map { $0 == "_" || $0 == " " ? "-" : $0 })
    return fields[name] ?? synonyms[name]
  }

  /// Returns the field with its own name, or with this name in the tables; nil for other names and for fields that no mapping
  /// may set.
  package static func exact(_ name: String) -> Field? { fields[String(name.map { $0 == "_" ? "-" : $0 })] }

  /// Returns the fields that names stand for, each at the place of its name; nil for other names. A field has one name, its own
  /// before a synonym.
  package static func fields(of names: [String]) -> [Field?] {
    var fields = [Field?](repeating: nil, count: names.count)
    var taken: Set<Field> = []
    for find in [exact, field] {
      for (index, name) in names.enumerated() where fields[index] == nil {
        guard let field = find(name), taken.insert(field).inserted else { continue }
        fields[index] = field
      }
    }
    return fields
  }

  /// All names that `field(_:)` knows, with hyphens and with underscores, in lower case and in order.
  static let all: [String] = (Array(fields.keys) + Array(synonyms.keys)).sorted().flatMap { name in
    name.contains("-") ? [name, String(name.map { $0 == "-" ? "_" : $0 })] : [name]
  }

  /// The fields by their names in lower case and with hyphens.
  private static let fields: [String: Field] = Field.allCases.reduce(into: [:]) { fields, field in
    switch field {
    case .algorithm, .keyID, .critical, .body, .bodyBase64, .leftOut: break
    default: fields[String(field.name.map { $0 == "_" ? "-" : $0 })] = field
    }
  }

  private static let synonyms: [String: Field] = [
    "signature": .attributionSignature, "jws": .jwsString, "network-id": .adNetworkID, "skan-version": .version,
    "source-id": .sourceIdentifier, "sequence-index": .postbackSequenceIndex, "coarse-value": .coarseConversionValue,
    "country": .countryCode,
  ]
}
