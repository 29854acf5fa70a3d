internal import Base
internal import JSON

/// A list of ad networks in one of the forms in which companies publish them for programs, or in which operators keep them.
///
/// The forms are the JSON object of the IAB Tech Lab (`skadnetworkids.json`), which AppLovin and others publish, the property
/// list with `SKAdNetworkItems` (`skadnetworkids.xml`), which ironSource and others publish, CSV with the columns of
/// `networks.csv`, and texts with one id on each line.
///
/// Source: IAB Tech Lab, "SKAdNetwork ID Lists for App Developers" in the OpenRTB extension `skadnetwork.md`.
package struct NetworkList: Sendable {
  /// The form of a list.
  package enum Form: String, Sendable {
    case json
    case propertyList = "plist"
    case csv
    case text
  }

  /// An ad network of the list.
  package struct Entry: Sendable, Equatable {
    /// The id in lower case.
    package let id: String
    /// The name; nil if the list has none.
    package let name: String?
    /// The fields of the columns of the list, which is CSV; otherwise empty.
    package var fields: [String: String] = [:]
  }

  package let form: Form
  /// The networks, in the order of the list.
  package private(set) var entries: [Entry] = []
  /// The columns of CSV, in their order; empty for other forms.
  package private(set) var columns: [String] = []
  /// The reasons for which elements are no networks, each with its place.
  package private(set) var problems: [String] = []

  /// Reads a list, of which a byte order mark is no part. Throws if it has none of the forms.
  package init(_ bytes: [UInt8]) throws(PropertyListDefect) {
    let bytes = Array(bytes.dropFirst(ByteOrderMark.length(in: bytes)))
    let first = bytes.first { !$0.isWhitespace }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      form = .json
      try readJSON(bytes)
    } else if first == UInt8(ascii: "<") || bytes.starts(with: "bplist00".utf8) {
      form = .propertyList
      try readItems(try PropertyList.parse(bytes).value)
    } else if let header = Self.header(bytes) {
      form = .csv
      columns = header
      readRows(bytes)
    } else {
      form = .text
      readLines(bytes)
    }
  }

  private mutating func add(_ id: String, _ name: String?, _ place: String, _ fields: [String: String] = [:]) {
    let id = id.lowercased()
    let isID = id.utf8.allSatisfy { $0.isInNames && $0 != UInt8(ascii: "_") }
    guard isID, form == .csv || id.hasSuffix(".skadnetwork") || id.hasSuffix(".adattributionkit") else {
      return problems.append("\(place): An id ends in .skadnetwork or .adattributionkit, and \(id.shown) does not.")
    }
    entries.append(Entry(id: id, name: name.flatMap { $0.isEmpty ? nil : $0 }, fields: fields))
  }

  // MARK: - JSON

  private mutating func readJSON(_ bytes: [UInt8]) throws(PropertyListDefect) {
    let root: JSONValue
    do throws(JSONDefect) { root = try JSONValue(parsing: bytes) } catch {
      throw PropertyListDefect(error.advice(in: bytes))
    }
    guard case .array(let elements) = root["skadnetwork_ids"] ?? root else {
      throw PropertyListDefect("The JSON has no array skadnetwork_ids.")
    }
    for (index, element) in elements.enumerated() {
      let place = "skadnetwork_ids[\(index)]"
      if case .string(let id) = element {
        add(id, nil, place)
      } else if let id = element["skadnetwork_id"]?.text {
        add(id, element["entity_name"]?.text ?? element["entity_domain"]?.text, place)
      } else {
        problems.append("\(place): The element has no text skadnetwork_id.")
      }
    }
  }

  // MARK: - Property list

  private mutating func readItems(_ root: PropertyList) throws(PropertyListDefect) {
    var value = root
    if case .dictionary(let members) = root {
      guard let items = members.first(where: { $0.key == InfoPlistKey.skAdNetworkItems.rawValue }) else {
        throw PropertyListDefect("The property list has no SKAdNetworkItems.")
      }
      value = items.value
    }
    guard case .array(let items) = value else {
      throw PropertyListDefect("SKAdNetworkItems is \(value.typeName). It must be an array.")
    }
    for (index, item) in items.enumerated() {
      let place = "SKAdNetworkItems[\(index)]"
      guard case .dictionary(let members) = item, case .string(let id)? = members.first?.value, members.count == 1,
        members.first?.key == InfoPlistKey.skAdNetworkIdentifier.rawValue
      else {
        problems.append("\(place): The element is no dictionary with SKAdNetworkIdentifier alone.")
        continue
      }
      add(id, nil, place)
    }
  }

  // MARK: - Lines

  private static func header(_ bytes: [UInt8]) -> [String]? {
    var records = CSVRecords(bytes)
    guard let fields = records.next()?.fields, fields.contains("ad_network_id"), Set(fields).count == fields.count
    else { return nil }
    return fields
  }

  private mutating func readRows(_ bytes: [UInt8]) {
    var records = CSVRecords(bytes)
    _ = records.next()
    while let record = records.next() {
      if record.fields == [""] { continue }
      let place = "line \(record.line)"
      guard record.defect == nil, record.fields.count == columns.count else {
        problems.append("\(place): \(record.defect ?? "The row has another number of fields than the header.")")
        continue
      }
      let fields = Dictionary(zip(columns, record.fields)) { first, _ in first }
      add(fields["ad_network_id"] ?? "", fields["network_name"], place, fields)
    }
  }

  private mutating func readLines(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let id = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if !id.isEmpty { add(id, nil, "line \(number + 1)") }
    }
  }
}
