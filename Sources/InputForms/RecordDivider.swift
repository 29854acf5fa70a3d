package import JSON

/// Divides records that hold several wrapped postbacks in an array, as a mapping says, into the elements of the array.
package struct RecordDivider: ~Copyable {
  private let path: JSONPath
  private var parser = JSONParser()
  private var document = JSONDocument()

  /// A divider for the records of a mapping; nil if each of them is one.
  package init?(_ mapping: Mapping?) {
    guard let path = mapping?.each else { return nil }
    self.path = path
  }

  /// Returns the ranges of the elements in the record with a range, behind which `JSONParser.padding` bytes must follow; nil if it
  /// has no such array of objects, and stays one record.
  package mutating func elements(of record: ByteRange, in bytes: inout [UInt8]) -> [ByteRange]? {
    let count = bytes.count
    // Strings with escapes are decoded behind the text.
    defer { if bytes.count > count { bytes.removeLast(bytes.count - count) } }
    var found = record
    for component in path.components {
      guard parse(found, in: &bytes), let value = document.value(component, of: bytes),
        value.kind == .array || value.kind == .object
      else { return nil }
      found = value.text
    }
    guard parse(found, in: &bytes), document.root.kind == .array, !document.members.isEmpty else { return nil }
    guard document.members.allSatisfy({ $0.value.kind == .object }) else { return nil }
    return document.members.map(\.value.text)
  }

  private mutating func parse(_ range: ByteRange, in bytes: inout [UInt8]) -> Bool {
    (try? parser.parse(range.indices, of: &bytes, into: &document)) != nil
  }
}
