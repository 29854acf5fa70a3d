internal import Base
package import ConversionModel
package import DurableFiles
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
    /// The name of the setting that stands for the model.
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
      let settled = "settle and refresh decode the values of all postbacks anew, with the models that they are given."
      return """
        Earlier rows were decided with other settings: \(named.joined(separator: "; ")). They stay as they are in the tables of \
        the run.\(changes.contains { $0.name.kind == .model } ? " \(settled)" : "")
        """
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
    try digest(of: bytes).hexadecimal
  }

  /// Returns the digest of texts that are joined by U+2063, in hexadecimal digits.
  package mutating func hexadecimalDigest(ofJoined texts: [String]) throws(LibcryptoFailure) -> String {
    try hexadecimalDigest(of: texts.joined(separator: "\u{2063}").utf8.span)
  }
}

extension SHA256Digest {
  /// The digest in hexadecimal digits.
  package var hexadecimal: String {
    let bytes = bytes
    return String(hexadecimal: bytes.span)
  }
}

/// A change of the settings, in force for the rows of a commit and of all commits after it.
package struct LedgerSettings: Sendable {
  /// The digests before the change.
  let before: [RunSettings.Name: String]
  /// The settings after the change.
  package let after: RunSettings

  /// Makes a change of settings.
  package init(before: [RunSettings.Name: String], after: RunSettings) {
    self.before = before
    self.after = after
  }

  /// Writes the changed settings, within the transaction of the commit with this number.
  func write(to database: SQLiteDatabase, commit: Int64) throws(FileFailure) {
    let end = try SQLiteStatement(
      database,
      "UPDATE run_settings SET last_commit = ? WHERE last_commit IS NULL AND kind = ? AND name = ?"
    )
    let begin = try SQLiteStatement(database, "INSERT INTO run_settings VALUES (?, ?, ?, ?, NULL)")
    for name in Set(before.keys).union(after.digests.keys) where before[name] != after.digests[name] {
      let (kind, text) = (SQLiteValue.text(name.kind.rawValue), SQLiteValue.text(name.name))
      if before[name] != nil { try end.run(.integer(commit - 1), kind, text) }
      if let digest = after.digests[name] { try begin.run(kind, text, .text(digest), .integer(commit)) }
    }
    try Ledger.put(after.models.filter { before[$0.settingName] != $0.digest }, into: database)
  }
}

extension Ledger {
  /// Returns the digests of the settings of the last commit; empty before the first commit, or if earlier versions of
  /// the program made all commits.
  package static func settingsInForce(in database: SQLiteDatabase) throws(FileFailure) -> [RunSettings.Name: String] {
    let statement = try SQLiteStatement(
      database,
      "SELECT kind, name, digest FROM run_settings WHERE last_commit IS NULL"
    )
    let settings = try statement.all { row throws(FileFailure) in
      (RunSettings.Name(kind: try row.word(0, as: RunSettings.Kind.self), name: row.text(1)), row.text(2))
    }
    return try unique(settings, in: database)
  }

  /// Throws `.incompatible` if a model has other content than the model of the same name that an earlier run or settlement had.
  package func checkModels(_ models: [RunSettings.Model]) throws(FileFailure) {
    try Self.check(models, against: database)
  }

  /// Adds the texts of models that a ledger does not have.
  static func put(_ models: [RunSettings.Model], into database: SQLiteDatabase) throws(FileFailure) {
    let put = try SQLiteStatement(database, "INSERT OR IGNORE INTO models VALUES (?, ?, ?, ?, ?, ?)")
    for model in models {
      try put.run(
        .integer(model.appID),
        .text(model.label.modelID),
        .integer(Int64(model.label.version)),
        .text(model.digest),
        .text(model.meaningDigest),
        .text(model.text)
      )
    }
  }

  static func check(_ models: [RunSettings.Model], against database: SQLiteDatabase) throws(FileFailure) {
    guard !models.isEmpty else { return }
    let statement = try SQLiteStatement(database, "SELECT app_id, model_id, version, meaning_digest FROM models")
    let known = try statement.all { row throws(FileFailure) in
      (RunSettings.Model.name(row.text(1), try row.integer(2) as Int64, app: try row.integer(0)), row.text(3))
    }
    let digests = Dictionary(known) { first, _ in first }
    for model in models {
      guard let digest = digests[model.name], digest != model.meaningDigest else { continue }
      throw .changedModel(model, digest, database.path)
    }
  }
}

extension FileFailure {
  /// Returns the failure for a model with the name of an earlier model and other content.
  static func changedModel(_ model: RunSettings.Model, _ before: String, _ path: String) -> FileFailure {
    FileFailure(
      .incompatible,
      path,
      """
      The conversion model \(model.name) was given to an earlier run or settlement with other content: its digest was \
      \(before), and is now \(model.meaningDigest)
      """,
      advice: """
        Give the changed model a new version, or restore the file. The table models of this database holds the \
        earlier text
        """
    )
  }
}
