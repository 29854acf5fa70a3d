internal import Base

/// The rows of `networks.csv`, joined from lists: each id once, but for rows of one list of CSV, which may have an id for several
/// times.
package struct NetworkTable {
  /// The columns that every table has.
  private static let required = ["ad_network_id", "network_name"]

  private var columns = required
  private var rows: [NetworkList.Entry] = []
  private var places: [String: Int] = [:]
  /// The ids of which two lists have different names, with both. The first list counts.
  package private(set) var differences: [(id: String, taken: String, other: String)] = []

  package init() {}

  /// The number of ids.
  package var count: Int { places.count }

  /// The number of ids that no list names. In the table their names are the ids themselves.
  package var unnamed: Int { rows.count { $0.name == nil } }

  /// Adds the networks of a list, as far as earlier lists do not have them. A name is taken over where the earlier lists have
  /// none.
  package mutating func add(_ list: NetworkList) {
    columns += list.columns.filter { !columns.contains($0) }
    let known = places
    for entry in list.entries {
      let key = entry.id.canonicalNetworkID
      guard let place = known[key] ?? (list.form == .csv ? nil : places[key]) else {
        places[key] = places[key] ?? rows.count
        rows.append(entry)
        continue
      }
      guard let name = entry.name else { continue }
      guard let taken = rows[place].name else {
        rows[place] = NetworkList.Entry(id: entry.id, name: name, fields: rows[place].fields)
        continue
      }
      if taken != name { differences.append((entry.id, taken, name)) }
    }
  }

  /// The table as CSV (RFC 4180) with a header.
  package var csv: String {
    var lines = [columns]
    for row in rows {
      lines.append(
        columns.map { column in
          switch column {
          case "ad_network_id": row.id
          case "network_name": row.name ?? row.id
          default: row.fields[column] ?? ""
          }
        }
      )
    }
    return lines.map { $0.map(Self.field).joined(separator: ",") + "\n" }.joined()
  }

  private static func field(_ text: String) -> String {
    guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
    return "\"\(text.replacing("\"", with: "\"\""))\""
  }
}
