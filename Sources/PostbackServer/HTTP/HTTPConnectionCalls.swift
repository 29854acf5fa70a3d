internal import CMicrohttpd
internal import Glibc

extension HTTPConnection {
  /// The callbacks for libmicrohttpd. Each finds its connection or server through the pointer that the library passes.
  static var calls: cmicrohttpd_calls {
    unsafe cmicrohttpd_calls(
      accepts: { owner, address in
        let server = unsafe Unmanaged<HTTPServer>.fromOpaque(owner).takeUnretainedValue()
        guard server.counts.allows(unsafe SocketAddress(address).address) else {
          server.metrics.add(refused: "connections")
          return 0
        }
        return 1
      },
      opened: { owner, handle, socket, address in
        let server = unsafe Unmanaged<HTTPServer>.fromOpaque(owner).takeUnretainedValue()
        let peer = unsafe SocketAddress(address).address
        let connection = unsafe HTTPConnection(server, handle, socket: socket, peer: peer)
        server.add(connection)
        return unsafe Unmanaged.passRetained(connection).toOpaque()
      },
      closed: { client in
        let connection = unsafe Unmanaged<HTTPConnection>.fromOpaque(client)
        unsafe connection.takeUnretainedValue().closed()
        unsafe connection.release()
      },
      began: { client, target in unsafe found(client).began(escaped(target)) },
      head: { client, method, version, isPlain in
        unsafe found(client).head(String(cString: method), String(cString: version), isPlain: isPlain != 0) ? 1 : 0
      },
      body: { client, bytes, count in
        unsafe found(client).body(UnsafeBufferPointer(start: bytes, count: count)) ? 1 : 0
      },
      complete: { client in unsafe found(client).complete() ? 1 : 0 },
      ended: { client in unsafe found(client).ended() }
    )
  }
}

/// Returns a request target in which bytes outside ASCII are percent-encoded, and the rest is as sent.
private func escaped(_ target: UnsafePointer<CChar>) -> String {
  let bytes = unsafe UnsafeBufferPointer(start: target, count: strlen(target))
  guard let odd = unsafe bytes.firstIndex(where: { $0 < 0 }) else { return unsafe String(cString: target) }
  var text = unsafe bytes[..<odd].map { UInt8(bitPattern: $0) }
  for index in odd..<bytes.count {
    let byte = unsafe UInt8(bitPattern: bytes[index])
    if byte < 0x80 {
      text.append(byte)
    } else {
      text.append(contentsOf: "%\(String(byte, radix: 16, uppercase: true))".utf8)
    }
  }
  return String(decoding: text, as: UTF8.self)
}

private func found(_ client: UnsafeMutableRawPointer) -> HTTPConnection {
  unsafe Unmanaged.fromOpaque(client).takeUnretainedValue()
}
