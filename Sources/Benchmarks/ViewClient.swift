internal import DurableFiles
internal import Glibc

/// A client of the live page and of a receiver on this machine.
struct ViewClient {
  /// The port of the server on 127.0.0.1.
  let port: UInt16
  /// The cookie of the session; empty without one.
  var cookie = ""

  /// An answer, with the time from the request to its end.
  struct Answer {
    let text: String
    let time: Duration

    var status: Int { Int(text.dropFirst("HTTP/1.1 ".count).prefix(3)) ?? 0 }

    /// The value of a header; nil if there is none.
    func header(_ name: String) -> String? {
      let prefix = "\(name): "
      return text.split(separator: "\r\n").first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    /// The id of the last event; nil if there is none.
    var lastEvent: String? {
      text.split(whereSeparator: \.isNewline).last { $0.hasPrefix("id: ") }.map { String($0.dropFirst("id: ".count)) }
    }

    /// The text behind the headers.
    var body: String { text.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first.map(String.init) ?? "" }
  }

  /// Asks for a path, and throws if the answer is no success: a refusal is fast, and must not pass for an answer.
  func get(_ path: String) throws -> Answer { try successful(path, try ask([(path, "")])) }

  /// Asks for a path, whatever the answer is. The id of the last event goes with a question for news.
  func attempt(_ path: String, lastEvent: String = "") throws -> Answer {
    try ask([(path, lastEvent.isEmpty ? "" : "Last-Event-ID: \(lastEvent)\r\n")])[0]
  }

  /// Posts a postback as a device does.
  func post(_ body: String) throws -> Answer {
    let path = "/.well-known/skadnetwork/report-attribution/"
    return try successful(path, try ask([(path, "Content-Length: \(body.utf8.count)\r\n")], "POST", body))
  }

  /// Asks for a path on many connections at once. The time of each answer is that until it was read, one after the other.
  func get(_ path: String, times count: Int) throws -> [Answer] {
    let answers = try ask((0..<count).map { _ in (path, "") })
    for answer in answers where answer.status != 200 { _ = try successful(path, [answer]) }
    return answers
  }

  private func successful(_ path: String, _ answers: [Answer]) throws -> Answer {
    guard let answer = answers.first, answer.status == 200 else {
      throw BenchmarkFailure("the server answered \(path) with \(answers.first?.text.prefix(400) ?? "nothing")")
    }
    return answer
  }

  /// Sends all requests, and then reads all answers.
  private func ask(
    _ requests: [(path: String, headers: String)],
    _ method: String = "GET",
    _ body: String = ""
  ) throws -> [Answer] {
    let start = ContinuousClock.now
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { close(descriptor) } }
    for request in requests {
      descriptors.append(try connection())
      let head = "\(method) \(request.path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
      let session = cookie.isEmpty ? "" : "Cookie: \(cookie)\r\n"
      let bytes = Array("\(head)\(session)\(request.headers)\r\n\(body)".utf8)
      guard bytes.writeAll(to: descriptors[descriptors.count - 1]) else {
        throw BenchmarkFailure.system("the request cannot be sent")
      }
    }
    return descriptors.map { descriptor in
      var answer: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        answer += buffer[..<count]
      }
      return Answer(text: String(decoding: answer, as: UTF8.self), time: .now - start)
    }
  }

  private func connection() throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else {
      close(descriptor)
      throw BenchmarkFailure.system("the server cannot be reached")
    }
    return descriptor
  }

  /// Waits until the server answers, and opens a session with a token of the configuration.
  mutating func enter(_ token: String) async throws {
    for _ in 0..<600 {
      if let answer = try? attempt("/?token=\(token)"), let found = answer.header("Set-Cookie") {
        cookie = String(found.prefix { $0 != ";" })
        return
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw BenchmarkFailure("postback view does not answer; run it by hand to see why")
  }
}
