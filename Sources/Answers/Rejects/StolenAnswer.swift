package import Analysis
internal import Base
package import JSON
internal import TableReading
internal import Tampering

/// Rejects with the signatures of accepted postbacks of other transactions, as text or JSON.
package struct StolenAnswer {
  let stolen: StolenSignatures
  /// The maximum number of senders, and of rejects, to print.
  let top: Int

  package init(stolen: StolenSignatures, top: Int) { (self.stolen, self.top) = (stolen, top) }

  /// The maximum number of rejects that are shown as text.
  private static let mostExamples = 5

  /// One JSON object.
  package var json: JSONValue {
    .object([
      .init("rejects", .integer(stolen.rejects)),
      .init("accepted_postbacks", .integer(stolen.owners)),
      .init("edited_copies", .integer(stolen.editedCopies)),
      .init("compared", .integer(stolen.compared)),
      .init("complete", .bool(stolen.isComplete)),
      .init("untested_postbacks", .integer(stolen.untestedOwners)),
      .init("senders", .array(stolen.groups.prefix(top).map(json))),
      .init("thefts", .array(stolen.thefts.prefix(top).map(json))),
    ])
  }

  private func json(_ group: StolenSignatures.Group) -> JSONValue {
    .object([
      .init("channel", .text(group.origin.channel)),
      .init("forwarder", .text(group.origin.forwarder)),
      .init("rejects", .integer(group.rejects.count)),
      .init("accepted_postbacks", .integer(group.owners)),
      .init("first_seen", .time(group.rejects.firstSeen)),
      .init("last_seen", .time(group.rejects.lastSeen)),
    ])
  }

  private func json(_ theft: StolenSignatures.Theft) -> JSONValue {
    .object([
      .init("raw_sha256", .string(theft.digest)),
      .init("transaction_id", .string(theft.transactionID)),
      .init("channel", .text(theft.origin.channel)),
      .init("forwarder", .text(theft.origin.forwarder)),
      .init("received_at", .text(theft.receivedAt)),
      .init("source_file", .text(theft.source?.file)),
      .init("source_line", .integer(theft.source?.line)),
      .init("owner", theft.owner.json),
    ])
  }

  /// A sentence, a table of senders, and a few rejects with the postbacks that their signatures belong to.
  package var text: String {
    var parts = [sentences.joined(separator: "\n")]
    guard !stolen.groups.isEmpty else { return parts[0] }
    var senders = TextTable(
      ["sender", "rejects", "accepted postbacks", "first received", "last received"],
      numbersIn: [1, 2],
      timesIn: [3, 4]
    )
    for group in stolen.groups.prefix(top) {
      senders.add(
        CopyOrigin.text(group.origin),
        "\(group.rejects.count)",
        "\(group.owners)",
        group.rejects.firstSeen.map { "\(Timestamp(milliseconds: $0))" } ?? "-",
        group.rejects.lastSeen.map { "\(Timestamp(milliseconds: $0))" } ?? "-"
      )
    }
    parts.append(senders.text(indent: 2))
    var examples = TextTable(["transaction of the reject", "signature of", "network", "received", "source"])
    for theft in stolen.thefts.prefix(min(top, Self.mostExamples)) {
      let owner = theft.owner
      examples.add(
        theft.transactionID.shortened(to: 40),
        owner.transactionID.shortened(to: 40),
        (owner.adNetworkID ?? "-").shortened(to: 40),
        owner.receivedAt ?? "-",
        owner.sourceFile.map { "\($0.shortened(to: 40)):\(owner.sourceLine ?? 0)" } ?? "-"
      )
    }
    parts.append(examples.text(indent: 2))
    return parts.joined(separator: "\n\n")
  }

  private var sentences: [String] {
    var sentences = [
      """
      stolen signatures: \(stolen.rejects) rejects carry the signatures of \(stolen.owners) accepted postbacks of other \
      transactions; \(stolen.compared) were compared
      """
    ]
    if stolen.editedCopies > 0 {
      sentences.append(
        "\(stolen.editedCopies) rejects are edited copies: they have the signature of their own transaction"
      )
    }
    if !stolen.isComplete {
      sentences.append("not all rejects were compared: narrow the query with --where, --since or --until")
    }
    if stolen.untestedOwners > 0 {
      sentences.append(
        """
        the signatures of \(stolen.untestedOwners) accepted postbacks are unknown, because an earlier version wrote their rows: \
        run their inputs again into a new --out
        """
      )
    }
    return sentences
  }
}
