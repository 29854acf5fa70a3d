package import DurableFiles

/// A conversion model that decoded rows, as a ledger keeps it.
package struct KeptModel: Sendable {
  /// The App Store id of the advertised app.
  package let appID: Int64
  /// The model as JSON.
  package let text: String
  /// Indicates that the last commit had the model.
  package let isInForce: Bool
}

extension Ledger {
  /// Reads the newest text of each model that a ledger keeps, without its lock; a model ends when the next one begins, so
  /// that it may have several texts. Empty if earlier versions of the program made all commits.
  package static func keptModels(in folder: String) throws(FileFailure) -> [KeptModel] {
    try reading(folder) { database throws(FileFailure) in
      guard try LedgerSchema.identify(database) > 1 else { return [] }
      let statement = try SQLiteStatement(
        database,
        """
        SELECT models.app_id, models.model_id, models.version, models.text, coalesce(run_settings.last_commit, -1)
        FROM models JOIN run_settings ON run_settings.kind = 'model' AND run_settings.digest = models.digest
          AND run_settings.name = models.model_id || '@' || models.version || ' of app ' || models.app_id
        ORDER BY run_settings.first_commit
        """
      )
      let rows = try statement.all { row throws(FileFailure) in
        (
          name: RunSettings.Model.name(row.text(1), try row.integer(2) as Int64, app: try row.integer(0)),
          model: KeptModel(
            appID: try row.integer(0),
            text: row.text(3),
            isInForce: try row.integer(4) as Int64 == -1
          )
        )
      }
      return Dictionary(rows.map { ($0.name, $0.model) }) { $1 }.sorted { $0.key < $1.key }.map(\.value)
    }
  }
}
