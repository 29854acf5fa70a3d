internal import Base
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

    /// Makes the name of a setting.
    package init(kind: Kind, name: String) {
      self.kind = kind
      self.name = name
    }
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

    /// Makes a model as the ledger stores it; the parameters are those of the properties.
    package init(appID: Int64, label: ModelLabel, digest: String, meaningDigest: String, text: String) {
      self.appID = appID
      self.label = label
      self.digest = digest
      self.meaningDigest = meaningDigest
      self.text = text
    }

    /// The name of the model in the settings.
    package var name: String { Self.name(label.modelID, Int64(label.version), app: appID) }
    package var settingName: Name { Name(kind: .model, name: name) }

    /// Returns the name of a model in the settings.
    static func name(_ id: String, _ version: Int64, app: Int64) -> String { "\(id)@\(version) of app \(app)" }
  }

  /// The SHA-256 digests of the settings, in hexadecimal digits.
  package let digests: [Name: String]
  /// The models of the run.
  package let models: [Model]
  /// One digest of all that decides whether a record is rejected: keys, policy and the program's version.
  let decision: String

  /// Settings with these digests. `decision` is one digest of all that decides whether a record is rejected.
  package init(digests: [Name: String], models: [Model], decision: String) {
    self.digests = digests
    self.models = models
    self.decision = decision
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
  package static func changes(from before: [Name: String], to after: [Name: String]) -> [Change] {
    guard !before.isEmpty else { return [] }
    return Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
      .sorted { ($0.kind.place, $0.name) < ($1.kind.place, $1.name) }
      .map { Change(name: $0, way: before[$0] == nil ? .added : after[$0] == nil ? .removed : .changed) }
  }
}

extension RunSettings.Kind {
  fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension SHA256 {
  /// Returns the digest of a text, in hexadecimal digits.
  package mutating func hexadecimalDigest(of text: String) throws(LibcryptoFailure) -> String {
    try hexadecimalDigest(of: text.utf8.span)
  }

  /// Returns the digest of bytes, in hexadecimal digits.
  package mutating func hexadecimalDigest(of bytes: Span<UInt8>) throws(LibcryptoFailure) -> String {
    let digest = try digest(of: bytes).bytes
    var digits: [UInt8] = []
    digits.appendHexadecimal(digest.span)
    return String(decoding: digits, as: UTF8.self)
  }
}
