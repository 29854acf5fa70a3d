internal import CopySettlement
internal import DerivedTables
package import DurableFiles
internal import JSON
internal import Ledger
internal import Signatures
package import TableReading
internal import Tables

/// The derived tables with the values that count where the copies of postbacks were compared.
package struct DailySettledInputs: Sendable {
  package let rows: TableFiles
  package let events: TableFiles
  /// The digest of the lookup tables with which they were made; nil if it is not known.
  let lookupDigest: String?
  /// The digest of the models that decoded the values; nil if the summary of the tables does not have it.
  let modelsDigest: String?
  /// The hours of the grace period of the settlement; nil if the summary of the tables does not have it.
  let graceHours: Int64?
  /// The SHA-256 of the summary of the tables; nil if it is not known.
  let digest: String?

  /// Finds the tables in an output folder; nil if it does not have them.
  package init?(in output: String, progress: AnalysisProgress.Handler? = nil) throws(FileFailure) {
    let folder = "\(output)/\(Table.settled.name)"
    guard var rows = try TableFiles(derived: .settled, in: output) else { return nil }
    guard var events = try TableFiles(derived: .settledEvents, in: output) else {
      throw FileFailure(
        .incompatible,
        folder,
        "The table is there without \(Table.settledEvents.name)",
        advice: "Run postback settle again"
      )
    }
    (rows.progress, events.progress) = (progress, progress)
    (self.rows, self.events) = (rows, events)
    let bytes = try? WholeFile.read("\(folder)/\(DerivedTable.summaryName)", upTo: 1 << 28)
    let summary = bytes.flatMap { try? JSONValue(parsing: $0) }
    lookupDigest = summary?["lookup_digest"]?.text
    modelsDigest = summary?["models_digest"]?.text
    graceHours = summary?["grace_hours"]?.integer
    var hash = try? SHA256()
    if let bytes { try? hash?.update(bytes.span) }
    digest = bytes == nil ? nil : (try? hash?.finish())?.hexadecimal
  }
}
