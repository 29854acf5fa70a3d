package import ConversionModel
package import Ledger
internal import PostbackVerification
package import Signatures
internal import Tables
package import JSON

extension RunSettings {
  /// The settings of a run by that version of the program.
  package init(
    _ used: PipelineSettings,
    format options: TableOptions,
    program: String
  ) throws(LibcryptoFailure) {
    let trust = used.trust
    var hash = try SHA256()
    var digests: [Name: String] = [:]
    for key in trust.keys where key.environment != .development {
      digests[Name(kind: .key, name: key.id)] = try hash.hexadecimalDigest(of: key.subjectPublicKeyInfo.span)
    }
    let policy: [(name: String, text: String)] = [
      ("allow-development", "\(trust.allowsDevelopment)"),
      ("allow-app", trust.allowedApps.map { $0.sorted().map(String.init).joined(separator: " ") } ?? "all"),
      ("allow-network", trust.allowedNetworks.map { $0.sorted().joined(separator: " ") } ?? "all"),
      ("max-postback-bytes", "\(used.limits.recordBytes)"),
    ]
    for (name, text) in policy { digests[Name(kind: .policy, name: name)] = try hash.hexadecimalDigest(of: text) }
    for (name, text) in options.settings {
      digests[Name(kind: .format, name: name)] = try hash.hexadecimalDigest(of: text)
    }
    for table in Table.all {
      digests[table.layoutName] = try hash.hexadecimalDigest(of: table.columnNames.joined(separator: ","))
    }
    let texts = try Model.all(of: used.models)
    for text in texts { digests[text.settingName] = text.digest }
    let decision = try hash.hexadecimalDigest(
      of: program + Self.digest(of: .key, in: digests) + Self.digest(of: .policy, in: digests)
    )
    self.init(digests: digests, models: texts, decision: decision)
  }
}

extension RunSettings.Model {
  /// Returns models as the ledger stores them.
  package static func all(of models: Models) throws(LibcryptoFailure) -> [RunSettings.Model] {
    var hash = try SHA256()
    var texts: [RunSettings.Model] = []
    for model in models.all {
      let definition = model.definition.sorted
      texts.append(
        RunSettings.Model(
          appID: model.appID,
          label: model.label,
          digest: try hash.hexadecimalDigest(of: definition.description),
          meaningDigest: try hash.hexadecimalDigest(of: definition.without(["effective_to", "bundle_id"]).description),
          text: definition.description
        )
      )
    }
    return texts
  }
}

extension Table {
  /// The name of the setting for the columns of the table.
  var layoutName: RunSettings.Name { RunSettings.Name(kind: .format, name: "columns of \(name)") }
}

extension JSONValue {
  /// The value with the members of all objects sorted by key.
  package var sorted: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let members):
      .object(
        members.map { Member(key: $0.key, value: $0.value.sorted) }
          .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      )
    case .null, .bool, .number, .string: self
    }
  }

  /// Returns an object without some of its members. Other values are returned unchanged.
  fileprivate func without(_ keys: [String]) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { !keys.contains($0.key) })
  }
}
