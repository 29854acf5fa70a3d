internal import DurableFiles
internal import HTTPClient
internal import PostbackPipeline
internal import Signatures

/// A remote object, as its server describes it.
struct RemoteObject: Sendable {
  var address: RemoteAddress
  /// The length in bytes; nil if it is unknown.
  var byteCount: Int64?
  /// The time of its last modification, in milliseconds since 1970; nil if it is unknown.
  var modified: Int64?
  /// The entity tag, which is another one for other content; nil if it is unknown.
  var tag: String?

}

extension RemoteObject {
  /// The object that a response describes: whole, or a range of it.
  init(_ address: RemoteAddress, _ head: ResponseHead) {
    let range = ContentRange(head)
    self.init(
      address: address,
      byteCount: range == nil ? head.byteCount : range?.total,
      modified: head.modified,
      tag: head["etag"].flatMap { $0.isEmpty ? nil : $0 }
    )
  }

  /// Asks the server for the object; nil if there is none.
  init?(asking client: ObjectClient, for address: RemoteAddress) throws(FileFailure) {
    let head = try client.get(address, ["range: bytes=0-0"])
    switch head.status {
    case 200, 206: self.init(address, head)
    // An empty object has no first byte.
    case 416 where ContentRange(head)?.total == 0: self.init(address, head)
    case 404, 410: return nil
    default: throw client.refusal(head, of: address)
    }
  }

  /// Indicates that the server gives neither a tag nor a time by which its content is known again.
  var isUnmarked: Bool { tag == nil && modified == nil }

  /// Indicates that the server describes the same content for both: with the same tag, or without tags with the same time, and of
  /// the same length where both lengths are known.
  func hasSameContent(as other: RemoteObject) -> Bool {
    if let byteCount, let count = other.byteCount, byteCount != count { return false }
    if tag != nil || other.tag != nil { return tag == other.tag }
    return modified != nil && modified == other.modified
  }

  /// The input that it is.
  var input: InputFile { InputFile(path: address.name, modified: modified, byteCount: byteCount) }

  /// The identity by which the state knows it: its address, its length and its tag. Nil without a length.
  func identity() throws(FileFailure) -> FileIdentity? {
    guard let byteCount else { return nil }
    do throws(LibcryptoFailure) {
      var digest = try SHA256()
      let place = try digest.digest(of: Array(address.identity.utf8).span).words.0
      let state = tag ?? modified.map { "\($0)" }
      let content = try state.map { state throws(LibcryptoFailure) in
        try digest.digest(of: Array(state.utf8).span).words.0 | 1
      }
      // No file system has the number of this device.
      return FileIdentity(
        device: .max,
        inode: place,
        byteCount: byteCount,
        changed: Int64(bitPattern: content ?? 0)
      )
    } catch {
      throw FileFailure(.io, address.name, error.description)
    }
  }
}

/// The range that a response is of an object: `bytes 10-19/100`, or `bytes */100` where there is none.
struct ContentRange {
  /// The first byte; nil if there is no range.
  let first: Int64?
  /// The length of the whole object; nil if it is unknown.
  let total: Int64?

  /// The range that a response names; nil if it names none.
  init?(_ head: ResponseHead) {
    guard let text = head["content-range"], text.hasPrefix("bytes ") else { return nil }
    let parts = text.dropFirst(6).split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    first = parts[0].split(separator: "-").first.flatMap { Int64($0) }
    total = Int64(parts[1]).flatMap { $0 < 0 ? nil : $0 }
  }
}
