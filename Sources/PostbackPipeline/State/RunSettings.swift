package import ConversionModel
internal import JSON
internal import SKAdNetwork
package import Signatures

/// The settings that decide the outcome for a record: trusted keys, policy, format and models, each with its digest.
package struct RunSettings: Sendable {
  /// The kind of a setting.
  package enum Kind: String, CaseIterable, Sendable {
    /// A trusted key; its digest is that of its public key (SubjectPublicKeyInfo).
    case key
    /// An option that decides which postbacks are accepted.
    case policy
    /// An option or a list of columns that decides the form of rows.
    case format
    /// A conversion model; its digest is that of its whole text.
    case model
  }

  /// The name of a setting together with its kind.
  package struct Name: Hashable, Sendable {
    /// The kind of the setting.
    package let kind: Kind
    /// The name among the settings of this kind.
    package let name: String
  }

  /// A conversion model as the ledger stores it.
  package struct Model: Sendable {
    /// The App Store id of the advertised app.
    package let appID: Int64
    /// The id and version of the model.
    package let label: ModelLabel
    /// The digest of `text`.
    package let digest: String
    /// The digest of the text without `effective_to` and `bundle_id`, which may change: a model ends when the next one
    /// begins.
    package let meaningDigest: String
    /// The model as JSON, without white space, with the members of each object sorted by key.
    package let text: String

    /// The name of the model in the settings.
    package var name: String { Self.name(label.modelID, Int64(label.version), app: appID) }
    var settingName: Name { Name(kind: .model, name: name) }

    /// Returns the name of a model in the settings.
    static func name(_ id: String, _ version: Int64, app: Int64) -> String { "\(id)@\(version) of app \(app)" }
  }

  /// The SHA-256 digests of the settings, in hexadecimal digits.
  package let digests: [Name: String]
  /// The models of the run.
  package let models: [Model]
  /// One digest of all that decides whether a record is rejected: keys, policy and the program's version.
  let decision: String

  /// The settings of a run by that version of the program.
  package init(
    trust: Trust,
    limits: ReadLimits,
    format options: TableOptions,
    models: Models,
    program: String
  ) throws(LibcryptoFailure) {
    var hash = try SHA256()
    var digests: [Name: String] = [:]
    for key in trust.keys where key.environment != .development {
      digests[Name(kind: .key, name: key.id)] = try hash.hexadecimalDigest(of: key.subjectPublicKeyInfo.span)
    }
    let policy = [
      ("allow-development", "\(trust.allowsDevelopment)"),
      ("allow-app", trust.allowedApps.map { $0.sorted().map(String.init).joined(separator: " ") } ?? "all"),
      ("allow-network", trust.allowedNetworks.map { $0.sorted().joined(separator: " ") } ?? "all"),
      ("max-postback-bytes", "\(limits.recordBytes)"),
    ]
    for (name, text) in policy { digests[Name(kind: .policy, name: name)] = try hash.hexadecimalDigest(of: text) }
    for (name, text) in options.settings {
      digests[Name(kind: .format, name: name)] = try hash.hexadecimalDigest(of: text)
    }
    for table in Table.all {
      digests[table.layoutName] = try hash.hexadecimalDigest(of: table.columns.joined(separator: ","))
    }
    var texts: [Model] = []
    for model in models.all {
      let definition = model.definition.sorted
      let text = Model(
        appID: model.appID,
        label: model.label,
        digest: try hash.hexadecimalDigest(of: definition.description),
        meaningDigest: try hash.hexadecimalDigest(of: definition.without(["effective_to", "bundle_id"]).description),
        text: definition.description
      )
      digests[text.settingName] = text.digest
      texts.append(text)
    }
    self.digests = digests
    self.models = texts
    decision = try hash.hexadecimalDigest(
      of: program + Self.digest(of: .key, in: digests) + Self.digest(of: .policy, in: digests)
    )
  }

  /// Returns one digest of all settings of a kind.
  package static func digest(of kind: Kind, in digests: [Name: String]) throws(LibcryptoFailure) -> String {
    var hash = try SHA256()
    let lines = digests.filter { $0.key.kind == kind }.map { "\($0.key.name)\n\($0.value)\n" }.sorted()
    return try hash.hexadecimalDigest(of: lines.joined())
  }
}

extension RunSettings {
  /// A setting that differs from the setting before.
  package struct Change: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a change.
    package enum Way: String, Sendable {
      /// The setting is new.
      case added
      /// The setting no longer exists.
      case removed
      /// The setting has another digest.
      case changed
    }

    /// The name of the setting.
    package let name: Name
    /// The kind of the change.
    package let way: Way

    /// The change as the rest of a sentence.
    package var description: String {
      switch name.kind {
      case .policy: "the policy (\(name.name)) was changed"
      case .format: "the format (\(name.name)) was changed"
      case .model where way == .changed: "the end or the bundle id of the model \(name.name) was changed"
      case .key, .model: "the \(name.kind.rawValue) \(name.name) was \(way.rawValue)"
      }
    }

    /// Returns a sentence that names the changed settings, at most ten of them.
    package static func sentence(_ changes: [Change]) -> String {
      let named = changes.prefix(10).map(\.description) + (changes.count > 10 ? ["\(changes.count - 10) others"] : [])
      return "Earlier rows were decided with other settings: \(named.joined(separator: "; ")). They stay as they are."
    }
  }

  /// Returns the settings that differ, sorted by kind and name; empty if `before` is empty, because then nothing is
  /// known.
  static func changes(from before: [Name: String], to after: [Name: String]) -> [Change] {
    guard !before.isEmpty else { return [] }
    return Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
      .sorted { ($0.kind.place, $0.name) < ($1.kind.place, $1.name) }
      .map { Change(name: $0, way: before[$0] == nil ? .added : after[$0] == nil ? .removed : .changed) }
  }
}

extension RunSettings.Kind {
  fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension Table {
  /// The name of the setting for the columns of the table.
  var layoutName: RunSettings.Name { RunSettings.Name(kind: .format, name: "columns of \(name)") }
}

extension SHA256 {
  /// Returns the digest of a text, in hexadecimal digits.
  fileprivate mutating func hexadecimalDigest(of text: String) throws(LibcryptoFailure) -> String {
    try hexadecimalDigest(of: text.utf8.span)
  }

  /// Returns the digest of bytes, in hexadecimal digits.
  fileprivate mutating func hexadecimalDigest(of bytes: Span<UInt8>) throws(LibcryptoFailure) -> String {
    let digest = try digest(of: bytes).bytes
    var digits: [UInt8] = []
    digits.appendHexadecimal(digest.span)
    return String(decoding: digits, as: UTF8.self)
  }
}

extension JSONValue {
  /// The value with the members of all objects sorted by key.
  fileprivate var sorted: JSONValue {
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
