internal import DurableFiles
internal import HTTPClient
internal import PostbackPipeline

/// The bytes of a remote object, continued at the byte where a connection broke.
///
/// Holds the first bytes, so that going back to the start after a look at them needs no other request.
final class RemoteFile: InputBytes {
  private let client: ObjectClient
  private let address: RemoteAddress
  /// The object as it was found, before it is read.
  private let found: RemoteObject
  /// The object as the first response describes it. All others must be of the same content.
  private var object: RemoteObject?
  /// The first bytes, from the start on.
  private var first: [UInt8] = []
  /// The position of the next byte to hand on, and that of the next byte of the open response.
  private var position: Int64 = 0
  private var received: Int64 = 0
  /// The number of the open response; nil if there is none.
  private var response: Int?
  private var isAtEnd = false
  private var attempts = Attempts()
  /// The position from which so much was received that earlier failures do not count.
  private var failed: Int64 = 0

  private static let keptBytes = 256 * 1024
  private static let progress: Int64 = 1 << 20

  init(_ object: RemoteObject, _ client: ObjectClient) {
    (found, self.client) = (object, client)
    address = object.address
  }

  func rewind() {
    (position, isAtEnd) = (0, false)
    // Nothing tells if the next response continues the first bytes, so it is read from its start.
    if let object, object.isUnmarked, received > first.count { first = [] }
  }

  func read(into buffer: inout [UInt8], at start: Int) throws(FileFailure) -> Int {
    if position < first.count {
      let kept = first[Int(position)...].prefix(buffer.count - start)
      buffer.replaceSubrange(start..<start + kept.count, with: kept)
      position += Int64(kept.count)
      return kept.count
    }
    while !isAtEnd {
      if response != client.stream.number || received != position { try open() }
      do throws(StreamFailure) {
        let count = try client.stream.read(into: &buffer, at: start)
        guard count == 0 else {
          take(buffer[start..<start + count])
          return count
        }
        if let total = object?.byteCount, received < total {
          throw StreamFailure(
            reason: "The server ended the transfer at byte \(received) of \(total)",
            isTemporary: true
          )
        }
        isAtEnd = true
      } catch {
        response = nil
        guard error.isTemporary, attempts.wait() else { throw ObjectClient.broken(address, error.reason) }
      }
    }
    return 0
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    if position == first.count, first.count + bytes.count <= Self.keptBytes { first += bytes }
    position += Int64(bytes.count)
    received = position
    if received - failed >= Self.progress { (attempts, failed) = (Attempts(), received) }
  }

  /// Sends a request for the bytes from the position on.
  private func open() throws(FileFailure) {
    var headers: [String] = []
    if position > 0 {
      headers.append("range: bytes=\(position)-")
      if let tag = object?.tag, !tag.hasPrefix("W/") { headers.append("if-match: \(tag)") }
    }
    response = nil
    let head = try client.get(address, headers)
    let described = RemoteObject(address, head)
    if head.status == 200 { try accept(described) }
    switch head.status {
    case 200:
      received = 0
      response = client.stream.number
      try skip()
    case 206 where position > 0 && ContentRange(head)?.first == position:
      try accept(described)
      received = position
      response = client.stream.number
    case 412: throw changed
    case 416 where position > 0: throw lying
    case 206: throw lying
    default: throw client.refusal(head, of: address)
    }
  }

  /// Reads up to the position where the server sends an object from its start.
  private func skip() throws(FileFailure) {
    var piece = [UInt8](repeating: 0, count: min(Int(position), 1 << 16))
    while received < position {
      do throws(StreamFailure) {
        if position - received < piece.count { piece.removeLast(piece.count - Int(position - received)) }
        let count = try client.stream.read(into: &piece, at: 0)
        guard count > 0 else { throw StreamFailure(reason: "The server ended the transfer early", isTemporary: true) }
        received += Int64(count)
      } catch {
        response = nil
        guard error.isTemporary, attempts.wait() else { throw ObjectClient.broken(address, error.reason) }
        return
      }
    }
  }

  /// Compares what a response describes with the response before, and that with the object as it was found.
  private func accept(_ described: RemoteObject) throws(FileFailure) {
    if let object {
      // At the start nothing of an earlier response is used.
      let isNew = position == 0 && object.isUnmarked && object.byteCount == described.byteCount
      guard isNew || object.hasSameContent(as: described) else { throw changed }
      return
    }
    if described.tag != nil, described.tag == found.tag, let count = found.byteCount, let total = described.byteCount,
      count != total
    {
      throw lying
    }
    object = described
  }

  private var changed: FileFailure {
    let isUnknown = object?.isUnmarked ?? true
    return FileFailure(
      .io,
      address.name,
      position > 0 && isUnknown
        ? "The connection broke after \(position) bytes, and the server gives no ETag by which to continue"
        : "The object has changed while it was read",
      advice: "Run again, and the run continues where it stopped"
    )
  }

  private var lying: FileFailure {
    FileFailure(.io, address.name, "The server contradicts itself about the length of the object")
  }
}
