import Base
import ConversionModel
import Glibc

@testable import PostbackServer

/// Parts of HTTP requests, and the configuration of the server.
enum RequestInput {
  static func query(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    for version in ConversionValueVersion.allCases {
      let parameters = QueryParameters(text, version: version)
      do throws(ConversionValueRefusal) {
        let request = try ConversionValueRequest(parameters)
        require((1...255).contains(request.bundleID.utf8.count), "a bundle id has its length")
        _ = request.windowClosed(after: 24)
        for window in 0...2 {
          for sinceFirstCall in [true, false] {
            _ = request.revenue.total(of: .all, window: window, sinceFirstCall: sinceFirstCall)
          }
        }
      } catch {
        continue
      }
    }
  }

  /// A line with the method, the target and the version, then lines of headers.
  static func head(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    let first = lines[0].split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    let fields = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return HTTPRequest.Field(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
    let target = first.count > 1 ? first[1] : "/"
    let head = HeadSyntax(
      version: first.count > 2 ? first[2] : "HTTP/1.1",
      target: target,
      fields: fields,
      isPlain: !bytes.contains(0)
    )
    if let refusal = head.refusal { require([400, 501].contains(refusal.status), "a head is refused with 400 or 501") }
    let peer = IPAddress(v4: 0x7F00_0001)
    let request = HTTPRequest(method: first[0], target: target, headers: fields, client: peer)
    _ = ContentCoding(of: request)
    let proxies = TrustedProxies([AddressRange("127.0.0.0/8"), AddressRange("10.0.0.0/8")].compactMap(\.self))
    let client = proxies.client(of: peer, forwardedFor: request.values(of: "X-Forwarded-For"))
    require(IPAddress(client.description) == client, "an address has the text that it is read from")
    for line in lines.prefix(8) { address(line) }
  }

  private static func address(_ text: String) {
    if let address = IPAddress(text) {
      require(IPAddress(address.description) == address, "an address has the text that it is read from")
    }
    if let range = AddressRange(text), let start = text.split(separator: "/").first {
      require(IPAddress(String(start)).map { range.contains($0) } ?? false, "a range contains its start")
    }
    if let listen = ListenAddress(text) {
      require(ListenAddress("\(listen)") == listen, "an address to listen on has the text that it is read from")
    }
  }

  static func configuration(_ bytes: [UInt8]) {
    let path = SmallFile.write(bytes, "configuration")
    do throws(ConfigurationErrors) { _ = try ServerConfiguration(reading: path) } catch {
      require(!error.description.isEmpty, "errors have a description")
    }
  }
}

/// A file of this process in memory, which is written anew for each input.
enum SmallFile {
  /// The folder of the files.
  static let folder: String = {
    let path = "/dev/shm/postback-fuzz-parsers-\(getpid())"
    unsafe mkdir(path, 0o700)
    return path
  }()

  static func write(_ bytes: [UInt8], _ name: String) -> String {
    let path = "\(folder)/\(name)"
    write(bytes, to: path)
    return path
  }

  static func write(_ bytes: [UInt8], to path: String) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    require(descriptor >= 0, "a file can be made")
    require(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count, "the file holds the bytes")
    close(descriptor)
  }
}
