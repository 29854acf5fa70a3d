internal import Base

/// The form in which an input may be, besides JSON.
package struct InputForm: Hashable, Sendable {
  /// The condition under which an input is read as CSV.
  package enum Detection: String, CaseIterable, Sendable {
    /// If its first line is a header with the names of a postback's fields.
    case auto
    /// If it does not begin as JSON does: its first line is the header, with any names.
    case csv
    /// Never.
    case json
  }

  /// The condition under which an input is read as CSV.
  package var detection: Detection
  /// The way from a record to the postback in it; nil if records are postbacks or envelopes.
  package var mapping: Mapping?

  /// The form of JSON, unless CSV is detected.
  package init(_ detection: Detection = .json) { self.detection = detection }

  /// The form of the records of a mapping.
  package init(_ mapping: Mapping) {
    detection = mapping.form == .csv ? .csv : .json
    self.mapping = mapping
  }

  /// A number that stands for the form in the catalog of inputs; 0 for JSON. A file that was read in another form is read
  /// again.
  package var number: Int64 {
    guard detection != .json || mapping != nil else { return 0 }
    let text = Array("\(detection.rawValue) \(mapping?.number ?? 0)".utf8)
    return Int64(SipHash(key: 0, 0).hash(of: text.span) >> 2)
  }

  /// Indicates that each line is a record.
  package var isOfLines: Bool { mapping?.isOfLines ?? false }

  /// Reads the first line of a text that does not begin as JSON does; nil if it is no header of CSV.
  package func header(_ line: [UInt8]) -> CSVHeader? {
    detection == .json ? nil : CSVHeader(line, takesAll: detection == .csv, keepsNames: mapping != nil)
  }
}
