package import DurableFiles
internal import Ledger

/// The files in the folders of tables that have the rows of parts, and that a removal of single rows does not search.
package enum UnsearchedFiles {
  /// Throws `.incompatible` if a table has such a file: a part that was compressed, which readers still read, or a copy under a
  /// name such as `part-00000001.jsonl.bak`.
  package static func refuse(in output: String, of tables: [Table]) throws(FileFailure) {
    for table in tables {
      for (partition, name) in try Partitioning.entries(of: "\(output)/\(table.name)") where isUnsearched(name) {
        throw FileFailure(
          .incompatible,
          [output, table.name, partition, name].filter { !$0.isEmpty }.joined(separator: "/"),
          "The file may have rows of the request and is not searched, so nothing was removed",
          advice: "Decompress it if it is a compressed part, or else move it away; then run again"
        )
      }
    }
  }

  private static func isUnsearched(_ name: String) -> Bool {
    name.hasPrefix(LedgerPart.namePrefix) && !TableFormat.allCases.contains { name.hasSuffix(".\($0.rawValue)") }
  }
}
