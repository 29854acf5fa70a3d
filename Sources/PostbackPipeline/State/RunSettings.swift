package import ConversionModel
internal import JSON
internal import SKAdNetwork
package import Signatures

/// The settings that decide what becomes of a record: trusted keys, policy, format and models, each by its digest.
package struct RunSettings: Sendable {
  /// The settings of one run, or of one commit.
  package enum Kind: String, CaseIterable, Sendable {
    /// A trusted key; its digest is that of the key.
    case key
    /// An option that says which postbacks are accepted.
    case policy
    /// What rows look like.
    case format
    /// A conversion model; its digest is that of its whole text.
    case model
  }

  /// What a setting is called.
  package struct Name: Hashable, Sendable {
    /// The kind.
    package let kind: Kind
    /// The name among those of its kind.
    package let name: String
  }

  /// A conversion model as the ledger keeps it.
  package struct Model: Sendable {
    /// The advertised app.
    package let appID: Int64
    /// The model's id and version.
    package let label: ModelLabel
    /// The digest of the text.
    package let digest: String
    /// The digest of what decodes: the text without `effective_to` and `bundle_id`. A model ends when the next one begins.
    package let meaningDigest: String
    /// The model as JSON, without white space, its keys in order.
    package let text: String

    /// What the model is called in the settings.
    package var name: String { Self.name(label.modelID, Int64(label.version), app: appID) }
    var settingName: Name { Name(kind: .model, name: name) }

    /// What a model is called in the settings.
    static func name(_ id: String, _ version: Int64, app: Int64) -> String { "\(id)@\(version) of app \(app)" }
  }

  /// The digests, in hexadecimal digits.
  package let digests: [Name: String]
  /// The models.
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

  /// One digest of all settings of a kind.
  package static func digest(of kind: Kind, in digests: [Name: String]) throws(LibcryptoFailure) -> String {
    var hash = try SHA256()
    let lines = digests.filter { $0.key.kind == kind }.map { "\($0.key.name)\n\($0.value)\n" }.sorted()
    return try hash.hexadecimalDigest(of: lines.joined())
  }
}

extension RunSettings {
  /// A setting that is not what it was before.
  package struct Change: Hashable, Sendable, CustomStringConvertible {
    /// How a setting changed.
    package enum Way: String, Sendable {
      /// It was not there before.
      case added
      /// It is not there any more.
      case removed
      /// It is another one.
      case changed
    }

    /// The setting.
    package let name: Name
    /// How it changed.
    package let way: Way

    /// The change as the end of a sentence.
    package var description: String {
      switch name.kind {
      case .policy: "the policy (\(name.name)) was changed"
      case .format: "the format (\(name.name)) was changed"
      case .model where way == .changed: "the end or the bundle id of the model \(name.name) was changed"
      case .key, .model: "the \(name.kind.rawValue) \(name.name) was \(way.rawValue)"
      }
    }
  }

  /// What of settings is not as it was, in order; nothing where nothing is known of before.
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
  /// The setting that the table's columns are.
  var layoutName: RunSettings.Name { RunSettings.Name(kind: .format, name: "columns of \(name)") }
}

extension SHA256 {
  /// The digest of a text, in hexadecimal digits.
  fileprivate mutating func hexadecimalDigest(of text: String) throws(LibcryptoFailure) -> String {
    try hexadecimalDigest(of: text.utf8.span)
  }

  /// The digest of bytes, in hexadecimal digits.
  fileprivate mutating func hexadecimalDigest(of bytes: Span<UInt8>) throws(LibcryptoFailure) -> String {
    let digest = try digest(of: bytes).bytes
    var digits: [UInt8] = []
    digits.appendHexadecimal(digest.span)
    return String(decoding: digits, as: UTF8.self)
  }
}

extension JSONValue {
  /// The value with the members of all objects in the order of their keys.
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

  /// An object without some of its members.
  fileprivate func without(_ keys: [String]) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { !keys.contains($0.key) })
  }
}
