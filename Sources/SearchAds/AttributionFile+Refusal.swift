internal import Base
package import DurableFiles

extension AttributionFile {
  /// The number of bytes from the beginning of a text that show whether it may have records.
  package static let headBytes = 4096

  /// Throws if the text of a file, which begins with `head`, is CSV, UTF-16 or no text, so that none of its lines is a record.
  package static func check(_ head: [UInt8], at path: String) throws(FileFailure) {
    let advice =
      "Give JSON Lines, one JSON value, or dictionaries as apps print them, in UTF-8, plain or compressed with gzip or zstd"
    let isUTF16 = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
    guard !isUTF16, !head.contains(where: { $0 < 0x09 }) else {
      throw FileFailure(.incompatible, path, "The file is UTF-16, or no text", advice: advice)
    }
    guard !hasHeader(head) else { throw FileFailure(.incompatible, path, "The file is CSV", advice: advice) }
  }

  /// Indicates that the first line is a header of CSV, with the name of a field that records have.
  private static func hasHeader(_ head: [UInt8]) -> Bool {
    let line = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
    let names = line.split(omittingEmptySubsequences: false) { ",;\t".contains($0) }
      .map { $0.filter { $0 != "\"" && $0 != "\u{FEFF}" }[...].trimmed.lowercased() }
    let isWord: (String) -> Bool = { $0.allSatisfy { $0.isLetter || $0.isNumber || "_- .".contains($0) } }
    guard names.count > 1, names.allSatisfy(isWord) else { return false }
    return names.contains { ["token", "attribution_token", "payload", "attribution", "received_at"].contains($0) }
  }
}
