package import DurableFiles
internal import ConversionModel

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
    let put = try SQLiteStatement(database, "INSERT OR IGNORE INTO models VALUES (?, ?, ?, ?, ?, ?)")
    for model in after.models where before[model.settingName] != model.digest {
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

  /// Throws `.incompatible` if a model has other content than the model of the same name that decoded earlier rows.
  package func checkModels(_ models: [RunSettings.Model]) throws(FileFailure) {
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
      The conversion model \(model.name) has decoded rows with other content: its digest was \(before), and is now \
      \(model.meaningDigest)
      """,
      advice: """
        Give the changed model a new version, or restore the file. The table models of this database holds the text \
        that was used
        """
    )
  }
}
