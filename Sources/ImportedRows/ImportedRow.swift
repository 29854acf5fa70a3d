internal import Base
internal import ConversionModel
package import InputForms
internal import JSON
internal import SKAdNetwork
package import Tables

/// A row of an export, as values of the columns of `skan_imported`.
package struct ImportedRow {
  /// The result of reading a record.
  enum Reading {
    /// A row without a signature.
    case row(ImportedRow)
    /// A postback with a signature, which is to be verified and not imported.
    case signed
    /// No row, with the reason as a sentence.
    case unreadable(String)

    /// The reading of what is no object, and of a row of CSV with more or fewer fields than the header.
    static let broken = unreadable("The record is no JSON object, or has not as many fields as the header.")
    /// The reading of text in UTF-16.
    static let utf16 = unreadable("The text is UTF-16. Save it as UTF-8.")
    /// The reading of a header among the rows of CSV.
    static let header = unreadable("The row repeats the header.")
    /// The reading of what names neither the id of a network nor an app.
    static let nothing = unreadable(
      "The record names no app and no id of an ad network, so it is not known which postbacks it counts."
    )
  }

  private let source: Source
  private var texts: [ColumnName: String] = [:]
  private var integers: [ColumnName: Int64] = [:]
  private var booleans: [ColumnName: Bool] = [:]
  private var receivedAt: Timestamp?
  private var count: Int64 = 1
  private var revenue: Amount?
  /// The columns of exports for which the row has a value.
  private var exported: Set<Mapping.ExportColumn> = []
  private var extras: [JSONValue.Member] = []
  /// The reason for which the record is no row; nil if it is one.
  private var problem: String?
  /// Indicates that the revenue is no amount.
  private(set) var hasOtherRevenue = false
  /// Indicates that the currency is no code, so that the revenue has none.
  private(set) var hasOtherCurrency = false
  /// Indicates that the date is none, so that the row is of no day.
  private(set) var hasOtherDate = false
  /// The values of Apple's fields that cannot be read, by the columns that have none for that reason.
  var otherValues: [ColumnName: String] {
    unreadable.filter { integers[$0.key] == nil && booleans[$0.key] == nil && texts[$0.key] == nil }
  }
  private var unreadable: [ColumnName: String] = [:]

  /// A hash of what the row says but for its extras, such as an id of its own. It is another one in each process.
  var contentHash: Int {
    var hasher = fieldsHasher
    hasher.combine(count)
    hasher.combine(revenue?.description)
    return hasher.finalize()
  }

  /// Indicates that the row is the sum of a day.
  var isOfSum: Bool { texts[.transactionID] == nil && exported.contains(.count) && receivedAt != nil }

  /// Words in the names of extras that are measured, which a later export has anew.
  private static let metrics = [
    "click", "impression", "view", "cost", "spend", "install", "conversion", "event", "revenue",
  ]

  /// A hash of what a sum says but for what it measures. It is another one in each process.
  var sumHash: Int {
    var hasher = fieldsHasher
    let others = extras.filter { extra in !Self.metrics.contains { extra.key.lowercased().contains($0) } }
    hasher.combine(JSONValue.object(others).description)
    return hasher.finalize()
  }

  /// A hasher that has what both hashes begin with: the time and the values of Apple's fields.
  private var fieldsHasher: Hasher {
    var hasher = Hasher()
    hasher.combine(texts)
    hasher.combine(integers)
    hasher.combine(booleans)
    hasher.combine(receivedAt)
    return hasher
  }

  /// The day, the app and the network, for people.
  var place: String {
    let day = receivedAt.map { Timestamp.name(ofDay: $0.daysSince1970) } ?? "no day"
    let app = integers[.appID].map { "the app \($0)" } ?? "no app"
    let network = (texts[.adNetworkID] ?? texts[.networkName]).map { "the network \($0)" } ?? "no network"
    return "\(day), \(app) and \(network)"
  }

  /// Indicates that the row says neither of which transaction it is nor how many it counts, so that it counts one.
  var isUncounted: Bool { texts[.transactionID] == nil && !exported.contains(.count) }

  /// The names of the extras.
  var extraNames: [String] { extras.map(\.key) }

  /// Tells if the value of the extra at a place in `extraNames` may be a count.
  func mayBeCount(extraAt place: Int) -> Bool { extras[place].value.scalar.flatMap(ExportedText.wholeNumber) != nil }

  /// The fields by the columns that have them; of several the first that is there counts.
  private static let fields: [(column: ColumnName, fields: [Field])] = [
    (.version, [.version]), (.adNetworkID, [.adNetworkID, .adNetworkIdentifier]),
    (.transactionID, [.transactionID, .postbackIdentifier]), (.appID, [.appID, .advertisedItemIdentifier]),
    (.campaignID, [.campaignID]), (.sourceIdentifier, [.sourceIdentifier]),
    (.sourceAppID, [.sourceAppID, .publisherItemIdentifier]), (.sourceDomain, [.sourceDomain]),
    (.redownload, [.redownload]), (.fidelityType, [.fidelityType]), (.didWin, [.didWin]),
    (.postbackSequenceIndex, [.postbackSequenceIndex]), (.conversionValue, [.conversionValue]),
    (.coarseConversionValue, [.coarseConversionValue]), (.countryCode, [.countryCode]),
  ]

  private init(_ source: Source) { self.source = source }

  /// Tells if a record of an input, with its mapping and its header if it is CSV, is a row without a signature.
  package static func isRow(_ json: [UInt8], _ mapping: Mapping?, _ header: CSVHeader?) -> Bool {
    if case .row = read(json, mapping, Source(header, mapping)) { true } else { false }
  }

  /// Reads an envelope with a row as its body, or a row alone.
  static func read(_ json: [UInt8], _ mapping: Mapping?, _ source: Source) -> Reading {
    guard let root = try? JSONValue(parsing: json, replacingLoneSurrogates: true), case .object(let outer) = root else {
      return .broken
    }
    var (body, envelope) = (outer, [JSONValue.Member]())
    if case .object(let inner)? = root[Field.body.name] { (body, envelope) = (inner, outer) }
    var row = ImportedRow(source)
    let isEmptyCount = { (member: JSONValue.Member) in
      (member.value == .null || member.value.text == "") && Source.isCount(member.key, mapping)
    }
    let hasEmptyCount = body.contains(where: isEmptyCount)
    body.removeAll { $0.value == .null }
    if source.needsNames { nameFields(of: &body, &envelope, mapping) }
    for place in body.indices { body[place].value = body[place].value.withoutFormula }
    if repeatsHeader(body, mapping) { return .header }
    for field in [Field.attributionSignature, .jwsString] {
      guard let place = body.firstIndex(where: { $0.key == field.name }) else { continue }
      if let text = body[place].value.text, !ExportedText.isWordForNone(text) { return .signed }
      body.remove(at: place)
    }
    if let text = envelope.first(where: { $0.key == Field.receivedAt.name })?.value.scalar { _ = row.takeTime(text) }
    row.texts[.forwarder] = envelope.first { $0.key == Field.forwarder.name }?.value.text
    // The names that the mapping gives come before plain ones, which count where a row has no other.
    let isExported = { (member: JSONValue.Member) in mapping?.isExported(member.key) ?? false }
    for member in body where isExported(member) { row.add(member, mapping) }
    for member in body where !isExported(member) { row.add(member, mapping) }
    if source.hasCount || hasEmptyCount, row.isUncounted {
      row.problem = row.problem ?? "The count of the row is empty, so the row counts nothing."
    }
    if let problem = row.problem { return .unreadable(problem) }
    return row.texts[.adNetworkID] == nil && row.integers[.appID] == nil ? .nothing : .row(row)
  }

  /// Takes the time of receipt. Returns false if the text is none.
  private mutating func takeTime(_ text: String) -> Bool {
    receivedAt = Timestamp(exported: text)
    hasOtherDate = receivedAt == nil && !text.isEmpty
    return receivedAt != nil
  }

  /// Takes the number of conversions that the row stands for.
  private mutating func takeCount(_ value: JSONValue, _ text: String) {
    // A number of JSON has no separators.
    let isNumber = if case .number = value { true } else { false }
    let plain = isNumber && text.hasSuffix(".000") ? String(text.dropLast(4)) : text
    guard let number = ExportedText.wholeNumber(plain) else {
      let number = text.split(separator: ".", omittingEmptySubsequences: false)
      problem =
        number.count == 2 && number[1] == "000"
        ? "The count \(text) may be \(number[0]) or \(number[0])000. Give whole numbers without separators."
        : "\(text) is no count. Give a whole number without separators, at most \(ExportedText.mostConversions)."
      return
    }
    count = number
  }

  private mutating func add(_ member: JSONValue.Member, _ mapping: Mapping?) {
    if case .null = member.value { return }
    if let name = Self.exportColumn(of: member.key, mapping), add(member.value, asColumn: name) { return }
    for (column, fields) in Self.fields {
      if let field = fields.first(where: { $0.name == member.key }), take(member.value, field, column) { return }
    }
    if ExportedText.isAppName(member.key), let text = member.value.scalar, takeApp(text) { return }
    if takesPlainName(member) { return }
    if !PersonalMember.contains(Array(member.key.utf8)) { extras.append(member) }
  }

  /// Returns the columns of the app and of the window that a row of `skan_imported` without them has among its extras, because
  /// they cannot be read.
  package static func unreadableColumns(inExtras json: [UInt8]) -> Set<ColumnName> {
    guard case .object(let members)? = try? JSONValue(parsing: json) else { return [] }
    return members.reduce(into: []) { columns, member in
      let key = member.key
      // Earlier versions kept words for no value there.
      if member.value.scalar.map(ExportedText.isWordForNone) ?? false { return }
      if key == Field.postbackSequenceIndex.name { columns.insert(.postbackSequenceIndex) }
      if ExportedText.isAppName(key) { columns.insert(.appID) }
    }
  }

  /// Takes a member under one of the plain names that exports use beside Apple's. Returns false for others.
  private mutating func takesPlainName(_ member: JSONValue.Member) -> Bool {
    guard let text = member.value.scalar else { return false }
    switch member.key.lowercased() {
    case "date", "day":
      guard receivedAt == nil, takeTime(text) else { return false }
      // A day with a UTC offset is the one that the export writes, and not the one in UTC.
      let day = Timestamp(dateOrTime: String(text.prefix(10)))
      if let day, day.daysSince1970 != receivedAt?.daysSince1970 { receivedAt = day }
    case "network":
      if text.hasSuffix(".skadnetwork") || text.hasSuffix(".adattributionkit"), texts[.adNetworkID] == nil {
        texts[.adNetworkID] = text
      } else if texts[.networkName] == nil, !text.isEmpty {
        texts[.networkName] = text
      } else {
        return false
      }
    case "app": return takeApp(text)
    default: return false
    }
    return true
  }

  /// Takes the number of an app, also as the App Store writes it: `id525463029`. Returns false if the text is none.
  private mutating func takeApp(_ text: String) -> Bool {
    guard integers[.appID] == nil else { return false }
    integers[.appID] = ExportedText.app(text)
    return integers[.appID] != nil || isNone(text, in: .appID)
  }

  /// Tells if a text that a column cannot have is a word for no value. Other texts are noted as unreadable.
  private mutating func isNone(_ text: String, in column: ColumnName) -> Bool {
    if ExportedText.isWordForNone(text) { return true }
    unreadable[column] = text
    return false
  }

  /// Takes the value of a column that only exports have. Returns false if the column has one, or cannot have this one.
  private mutating func add(_ value: JSONValue, asColumn name: Mapping.ExportColumn) -> Bool {
    guard let text = value.scalar else { return false }
    if text.isEmpty { return true }
    guard exported.insert(name).inserted else { return false }
    switch name {
    case .networkName: texts[.networkName] = text
    case .campaignName: texts[.campaignName] = text
    case .currency:
      if ExportedText.isWordForNone(text) { return true }
      let code = text[...].trimmed.uppercased()
      guard CurrencyCodes.all.contains(code) else {
        hasOtherCurrency = !code.isEmpty
        return false
      }
      texts[.currency] = code
    case .revenue:
      if source.hasSemicolons, ExportedText.mayHaveThousands(text) {
        problem =
          "The revenue \(text) may have points between thousands. Give amounts with a point before the cents alone, such as 12500.00 or 12.50."
      }
      guard let amount = try? Amount(rounding: text) else {
        hasOtherRevenue = true
        return false
      }
      revenue = amount
    case .count: takeCount(value, text)
    }
    return true
  }

  /// Takes the value of a field. Returns false if the column has one, or cannot have this one.
  private mutating func take(_ value: JSONValue, _ field: Field, _ column: ColumnName) -> Bool {
    guard let text = value.scalar, texts[column] == nil, integers[column] == nil, booleans[column] == nil else {
      return false
    }
    let kind: JSONKind =
      switch value {
      case .bool(let flag): flag ? .true : .false
      case .number: .number
      default: .string
      }
    let bytes = Array(text.utf8)
    switch field.type {
    case .integer: integers[column] = FieldValue.integer(kind, bytes.span, in: field.range).value
    case .boolean: booleans[column] = FieldValue.boolean(kind, bytes.span).value
    case .sourceIdentifier:
      // Spreadsheets and pandas write 74 as 74.0 where a row lacks one. It is a number, which has lost leading zeros.
      let kind = kind == .string && text.contains(".") ? .number : kind
      texts[column] = FieldValue.sourceIdentifier(kind, bytes.span).value?.description
    case .word, .countryCode: texts[column] = field.type.text(kind, bytes.span)
    case _ where ExportedText.isWordForNone(text): break
    case _ where field == .transactionID: texts[column] = String(text[...].trimmed)
    default: texts[column] = text
    }
    return texts[column] != nil || integers[column] != nil || booleans[column] != nil || isNone(text, in: column)
  }

  /// The text that is equal for two rows of a vendor that are the same: of the transaction and the window, or else of all content.
  func identity(of json: [UInt8]) -> (text: String, isOfTransaction: Bool) {
    guard let transaction = texts[.transactionID] else { return (String(decoding: json, as: UTF8.self), false) }
    let window = integers[.postbackSequenceIndex] ?? 0
    let parts = [texts[.adNetworkID] ?? "", transaction, "\(window)"].map { $0.lowercased() }
    return (parts.joined(separator: "\u{2063}"), true)
  }

  /// Returns the currency of the revenue: that of the row, or else `other`. Nil if the row has no revenue, or a currency that
  /// cannot be read.
  func revenueCurrency(orElse other: String?) -> String? {
    revenue == nil ? nil : texts[.currency] ?? (hasOtherCurrency ? nil : other)
  }

  /// Indicates that the row has revenue without a currency, which no sum can have.
  func lacksCurrency(orElse other: String?) -> Bool {
    revenue.map { $0 > .zero } ?? false && revenueCurrency(orElse: other) == nil
  }

  /// Encodes the row.
  ///
  /// - Parameters:
  ///   - encoder: The encoder of rows of `skan_imported`.
  ///   - key: The key of the row.
  ///   - vendor: The vendor of the export.
  ///   - currency: The currency of the revenue, if the row does not say it.
  ///   - file: The path of the export.
  ///   - line: The line on which the row begins.
  func encode(
    into encoder: inout RowEncoder,
    key: String,
    vendor: String,
    currency: String?,
    file: String,
    line: Int
  ) {
    for column in Table.imported.columns {
      let name = column.name
      switch name {
      case .importKey: encoder.text(name, key)
      case .vendor: encoder.text(name, vendor)
      case .verification: encoder.word(name, "none")
      case .receivedAt: encoder.time(name, receivedAt)
      case .count: encoder.integer(name, count)
      case .revenue: encoder.amount(name, revenue)
      case .currency: encoder.text(name, revenueCurrency(orElse: currency))
      case .sourceFile: encoder.text(name, file)
      case .sourceLine: encoder.integer(name, Int64(line))
      case .extras:
        guard !extras.isEmpty else { encoder.null(name); continue }
        var json: [UInt8] = []
        json.appendPortableJSON(Array(JSONValue.object(extras).description.utf8)[...])
        encoder.json(name, json.span)
      default:
        switch column.type {
        case .integer: encoder.integer(name, integers[name])
        case .boolean: encoder.boolean(name, booleans[name])
        case .word: encoder.word(name, texts[name])
        default: encoder.text(name, texts[name])
        }
      }
    }
    encoder.endRow()
  }
}
