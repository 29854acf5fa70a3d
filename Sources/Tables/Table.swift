package import Ledger

/// An output table: its name and its columns, in order. Names are part of the public contract; `schemas/` describes
/// each table.
package struct Table: Sendable {
  /// The name of the table, and of its folder.
  package let name: String
  /// The names of the columns.
  package let columns: [String]
  /// A JSON row in which every cell is null, without the closing brace. A part of it is written before each cell that
  /// is not null.
  package let nullMembers: [UInt8]
  private let memberEnds: [Int]

  package init(name: String, columns: [String]) {
    self.name = name
    self.columns = columns
    var text: [UInt8] = []
    memberEnds = columns.map { column in
      text += Array("\(text.isEmpty ? "{" : ",")\"\(column)\":null".utf8)
      return text.count
    }
    nullMembers = text
  }

  /// Returns the offset in `nullMembers` of the member of a column, including the separator before it.
  package func memberStart(_ column: Int) -> Int { column == 0 ? 0 : memberEnds[column - 1] }

  /// Returns the offset in `nullMembers` of the value of a column.
  package func valueStart(_ column: Int) -> Int { memberEnds[column] - "null".utf8.count }

  /// The header line of a CSV file, with its line end.
  package var csvHeader: [UInt8] { Array((columns.joined(separator: ",") + "\r\n").utf8) }

  /// The table of accepted postbacks.
  package static let postbacks = Table(
    name: "skan_postbacks",
    columns: [
      "postback_key", "framework", "version", "ad_network_id", "transaction_id", "app_id", "campaign_id",
      "source_identifier", "source_app_id", "source_domain", "redownload", "conversion_type", "fidelity_type",
      "ad_interaction_type", "did_win", "postback_sequence_index", "conversion_value", "coarse_conversion_value",
      "country_code", "marketplace_identifier", "impression_type", "key_id", "environment", "signature_state",
      "coerced_fields", "tier_flags", "channel", "forwarder", "received_at", "received_at_source",
      "estimated_install_date", "install_date_earliest", "install_date_latest", "model_id", "model_version",
      "decode_status", "skan_revenue", "min_revenue", "max_revenue", "currency", "cumulative", "extras", "source_file",
      "source_line",
    ]
  )

  /// The table of events that accepted postbacks decode to.
  package static let events = Table(
    name: "skan_events",
    columns: [
      "postback_key", "event_name", "postback_sequence_index", "event_count", "min_event_count", "max_event_count",
      "skan_revenue", "min_revenue", "max_revenue", "currency", "cumulative", "revenue_kind", "model_id",
      "model_version",
    ]
  )

  /// The table of rejected records.
  package static let rejects = Table(
    name: "skan_rejects",
    columns: [
      "stage", "reject_code", "reject_detail", "field", "expected", "found", "ad_network_id", "transaction_id",
      "app_id",
      "version", "first_seen_postback_key", "conflicting_fields", "channel", "forwarder", "received_at",
      "received_at_source", "source_file", "source_line", "raw_sha256", "raw_body", "raw_body_base64",
    ]
  )

  /// All tables.
  package static let all = [postbacks, events, rejects]
}

/// The files that a row is written to: their formats, and the treatment of formulas.
package struct TableEncoding: Sendable {
  /// The formats.
  package let formats: Set<TableFormat>
  /// Indicates that CSV texts which a spreadsheet would run as a formula get an apostrophe in front.
  package let isCSVSafe: Bool

  /// Makes an encoding in these formats.
  package init(_ formats: Set<TableFormat>, isCSVSafe: Bool = false) {
    self.formats = formats
    self.isCSVSafe = isCSVSafe
  }
}
