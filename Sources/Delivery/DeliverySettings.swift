package import Base
internal import DurableFiles
internal import Ledger
package import LookupTables
internal import PostbackPipeline
package import PostbackService
package import Tables

/// The settings of a process that delivers.
package struct DeliverySettings {
  /// The folder of the tables of a run.
  package let output: String
  /// The folder of the state.
  package let state: String
  package var partners: Partners
  /// Reads the partners again; throws if there is a problem.
  package let load: () throws(PartnersErrors) -> Partners
  /// The lookup tables with the names of networks.
  package let lookups: Lookups
  /// The formats of the table of deliveries.
  package let encoding: TableEncoding
  /// The folder for the table of deliveries.
  package let target: String
  package let log: Log
  /// The file for metrics; nil for none.
  package var metricsFile: ReplacedFile?
  /// Indicates that the process ends when nothing is pending.
  package var endsWhenDone = false
  /// The time at which the process ends at the latest.
  package var deadline: Timestamp?

  /// Indicates that rows are planned again from where the output and the deliveries agree.
  package var replans = false

  /// Makes settings; the parameters are those of the properties.
  package init(
    output: String,
    state: String,
    partners: Partners,
    load: @escaping () throws(PartnersErrors) -> Partners,
    lookups: Lookups,
    encoding: TableEncoding,
    target: String,
    log: Log
  ) {
    (self.output, self.state, self.partners, self.load, self.lookups) = (output, state, partners, load, lookups)
    (self.encoding, self.target, self.log) = (encoding, target, log)
  }
}

extension DeliverySettings {
  /// Throws if the state is not that of the output, or if a partner needs what the tables do not have.
  func check() throws(FileFailure) {
    let reading = try OutputFolder.reading(output, state: state)
    guard reading.settings[TableOptions.keepRaw] != "yes" else { return }
    let partners = partners.all.filter(\.usesRawBody).map(\.id)
    guard partners.isEmpty else {
      throw FileFailure(
        .incompatible,
        output,
        "The tables do not have the bodies of postbacks, which the templates of \(partners.joined(separator: ", ")) use",
        advice: "Run run, watch or serve with --keep-raw first, or remove {raw}, {raw_base64} and their aliases"
      )
    }
  }
}
