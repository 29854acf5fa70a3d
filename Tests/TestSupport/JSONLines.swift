package import JSON

/// The members of the objects of a JSON Lines text, by their names; nil if a line is no object, or has a name twice.
///
/// Tests read hundreds of thousands of rows, and this module is optimised where theirs are not.
package func jsonLines(_ text: [UInt8]) throws(JSONDefect) -> [[String: JSONValue]]? {
  var rows: [[String: JSONValue]] = []
  for line in text.split(separator: UInt8(ascii: "\n")) {
    guard case .object(let members) = try JSONValue(parsing: Array(line)) else { return nil }
    var row: [String: JSONValue] = [:]
    for member in members { row[member.key] = member.value }
    guard row.count == members.count else { return nil }
    rows.append(row)
  }
  return rows
}
