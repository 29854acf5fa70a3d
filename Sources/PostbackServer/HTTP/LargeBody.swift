internal import CMicrohttpd
internal import Synchronization

/// The body of an answer that the library takes in pieces while the client reads them: several connections may share its bytes.
final class LargeBody: Sendable {
  /// The largest number of bytes in a piece. Shorter bodies are copied.
  static let pieceBytes = 16 << 10

  private let bytes: [UInt8]
  private let taken = Atomic<Int>(0)

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of bytes that the library has taken.
  var takenCount: Int { taken.load(ordering: .relaxed) }

  /// The body as the library takes it. It is released once, by `cmicrohttpd_answer_in_pieces`.
  var pieces: cmicrohttpd_pieces {
    unsafe cmicrohttpd_pieces(
      count: UInt64(bytes.count),
      room: Self.pieceBytes,
      body: Unmanaged.passRetained(self).toOpaque(),
      read: { body, position, piece, room in
        let body = unsafe Unmanaged<LargeBody>.fromOpaque(body).takeUnretainedValue()
        return unsafe body.copy(
          from: Int(clamping: position),
          to: UnsafeMutableBufferPointer(start: piece, count: room)
        )
      },
      release: { body in unsafe Unmanaged<LargeBody>.fromOpaque(body).release() }
    )
  }

  /// Copies the bytes from a position on, as many as have room, and returns their number.
  func copy(from position: Int, to piece: UnsafeMutableBufferPointer<UInt8>) -> Int {
    guard position < bytes.count else { return 0 }
    let end = min(bytes.count, position + piece.count)
    _ = unsafe piece.update(fromContentsOf: bytes[position..<end])
    taken.store(end, ordering: .relaxed)
    return end - position
  }
}
