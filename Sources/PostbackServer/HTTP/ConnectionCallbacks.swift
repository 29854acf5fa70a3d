internal import CMicrohttpd
internal import Glibc

extension HTTPConnection {
  /// The callbacks for libmicrohttpd. Each finds its connection or server through the pointer that the library passes.
  static var callbacks: cmicrohttpd_calls {
    unsafe cmicrohttpd_calls(
      accepts: { owner, address in
        let server = unsafe Unmanaged<HTTPServer>.fromOpaque(owner).takeUnretainedValue()
        guard server.accepts(unsafe SocketAddress(address).address) else {
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
      began: { client, target in unsafe connection(client).began(escaped(target)) },
      head: { client, method, version, isPlain in
        unsafe connection(client).head(String(cString: method), String(cString: version), isPlain: isPlain != 0) ? 1 : 0
      },
      body: { client, bytes, count in
        unsafe connection(client).body(UnsafeBufferPointer(start: bytes, count: count)) ? 1 : 0
      },
      complete: { client in unsafe connection(client).complete() ? 1 : 0 },
      ended: { client in unsafe connection(client).ended() }
    )
  }
}

/// Returns a request target in which bytes outside ASCII are percent-encoded, and all other bytes are as sent.
private func escaped(_ target: UnsafePointer<CChar>) -> String {
  let bytes = unsafe UnsafeBufferPointer(start: target, count: strlen(target))
  guard let firstEscaped = unsafe bytes.firstIndex(where: { $0 < 0 }) else { return unsafe String(cString: target) }
  var text = unsafe bytes[..<firstEscaped].map { UInt8(bitPattern: $0) }
  for index in firstEscaped..<bytes.count {
    let byte = unsafe UInt8(bitPattern: bytes[index])
    if byte < 0x80 {
      text.append(byte)
    } else {
      text.append(contentsOf: "%\(String(byte, radix: 16, uppercase: true))".utf8)
    }
  }
  return String(decoding: text, as: UTF8.self)
}

private func connection(_ client: UnsafeMutableRawPointer) -> HTTPConnection {
  unsafe Unmanaged.fromOpaque(client).takeUnretainedValue()
}
