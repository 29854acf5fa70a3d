internal import Base

/// The elements of an answer of an S3 service.
enum XMLElements {
  /// Calls `visit` at the end of each element, with its name and its text, which is empty if other elements are in it.
  static func visit(_ bytes: [UInt8], _ visit: (_ name: String, _ text: String) throws -> Void) rethrows {
    var rest = bytes[...]
    var begun: (name: ArraySlice<UInt8>, start: Int)?
    while let open = rest.firstIndex(of: UInt8(ascii: "<")), let close = rest[open...].firstIndex(of: UInt8(ascii: ">"))
    {
      let tag = bytes[open + 1..<close]
      rest = bytes[(close + 1)...]
      if tag.first == UInt8(ascii: "/") {
        let name = tag.dropFirst()
        let isLeaf = begun?.name.elementsEqual(name) ?? false
        let text = isLeaf ? bytes[(begun?.start ?? open)..<open] : []
        begun = nil
        try visit(String(decoding: name, as: UTF8.self), decoded(text))
      } else {
        begun = (tag.prefix { $0 != UInt8(ascii: " ") }, close + 1)
      }
    }
  }

  /// The text with its references to characters replaced.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.contains(UInt8(ascii: "&")) else { return text }
    var pieces = text.split(separator: "&", omittingEmptySubsequences: false)[...]
    var result = String(pieces.removeFirst())
    for piece in pieces {
      let name = piece.prefix { $0 != ";" }
      result += String(xmlReference: name) ?? "&\(name);"
      result += piece.dropFirst(name.count + 1)
    }
    return result
  }
}
