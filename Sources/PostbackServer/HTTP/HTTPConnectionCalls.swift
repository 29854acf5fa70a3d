internal import CMicrohttpd
internal import Glibc

extension HTTPConnection {
  /// What the library calls: each finds the connection, or the server, behind a pointer.
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
      began: { client, target in unsafe found(client).began(String(cString: target)) },
      head: { client, method in unsafe found(client).head(String(cString: method)) ? 1 : 0 },
      body: { client, bytes, count in
        unsafe found(client).body(UnsafeBufferPointer(start: bytes, count: count)) ? 1 : 0
      },
      complete: { client in unsafe found(client).complete() ? 1 : 0 },
      ended: { client in unsafe found(client).ended() }
    )
  }
}

private func found(_ client: UnsafeMutableRawPointer) -> HTTPConnection {
  unsafe Unmanaged.fromOpaque(client).takeUnretainedValue()
}
