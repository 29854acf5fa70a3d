package import DurableFiles

/// A conversion model that decoded rows, as a ledger keeps it.
package struct RecordedModel: Sendable {
  /// The App Store id of the advertised app.
  package let appID: Int64
  /// The name: the id and the version of the model, and the app.
  package let name: String
  /// The model as JSON.
  package let text: String
  /// Indicates that the last commit had the model, or that the last settlement was given it.
  package let isInForce: Bool
  /// Indicates that a settlement was given the model, and not a run.
  package let isOfSettlement: Bool
  /// The number of the commit from which on a run had the model, or after which a settlement was given it.
  package let commit: Int64
}

// The models of settlements are settings of a kind of their own, whose last commit is that at which they were given. So they
// are never settings in force of a run.
extension Ledger {
  private static let settlement = "settlement"

  /// Reads the newest text of each model that a ledger keeps, without its lock; a model ends when the next one begins, so
  /// that it may have several texts. Empty if earlier versions of the program made all commits.
  package static func recordedModels(in folder: String) throws(FileFailure) -> [RecordedModel] {
    try reading(folder) { database throws(FileFailure) in
      guard try LedgerSchema.identify(database) > 1 else { return [] }
      let statement = try SQLiteStatement(
        database,
        """
        SELECT models.app_id, models.model_id, models.version, models.text, coalesce(run_settings.last_commit, -1),
          run_settings.kind, run_settings.first_commit
        FROM models JOIN run_settings ON run_settings.kind IN ('model', '\(settlement)')
          AND run_settings.digest = models.digest
          AND run_settings.name = models.model_id || '@' || models.version || ' of app ' || models.app_id
        ORDER BY run_settings.first_commit
        """
      )
      let rows = try statement.all { row throws(FileFailure) in
        let isOfSettlement = row.text(5) == settlement
        return RecordedModel(
          appID: try row.integer(0),
          name: RunSettings.Model.name(row.text(1), try row.integer(2) as Int64, app: try row.integer(0)),
          text: row.text(3),
          isInForce: isOfSettlement ? true : try row.integer(4) as Int64 == -1,
          isOfSettlement: isOfSettlement,
          commit: try row.integer(6)
        )
      }
      return Dictionary(rows.map { ([$0.name, $0.isOfSettlement ? settlement : ""], $0) }) { $1 }
        .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }
  }

  /// Throws `.incompatible` if the ledger in a folder has other content for a model of the same name. Read without its lock.
  package static func check(_ models: [RunSettings.Model], in folder: String) throws(FileFailure) {
    try reading(folder) { database throws(FileFailure) in
      guard try LedgerSchema.identify(database) > 1 else { return }
      try check(models, against: database)
    }
  }

  /// Records in the ledger of a folder that a settlement was given these models, in place of those that an earlier one was given
  /// for the same apps. Other processes may write the ledger meanwhile.
  package static func keep(ofSettlement models: [RunSettings.Model], in folder: String) throws(FileFailure) {
    let database = try SQLiteDatabase("\(folder)/\(name)", .writing)
    try database.execute("PRAGMA synchronous = FULL")
    guard try LedgerSchema.identify(database) > 1 else { return }
    try database.execute("BEGIN IMMEDIATE")
    // If this fails, closing the connection rolls the transaction back.
    let remove = try SQLiteStatement(
      database,
      "DELETE FROM run_settings WHERE kind = '\(settlement)' AND name LIKE '% of app ' || ?"
    )
    for app in Set(models.map(\.appID)) { try remove.run(.integer(app)) }
    try put(models, into: database)
    let add = try SQLiteStatement(
      database,
      """
      INSERT INTO run_settings SELECT '\(settlement)', ?, ?, commits, commits FROM state
      """
    )
    for model in models { try add.run(.text(model.name), .text(model.digest)) }
    try database.execute("COMMIT")
  }
}
