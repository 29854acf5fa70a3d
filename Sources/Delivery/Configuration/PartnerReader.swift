internal import Base
internal import DurableFiles
internal import JSON
internal import PostbackServer
internal import PostbackVerification

/// Reads a partner from the configuration, and notes every problem.
enum PartnerReader {
  static let keys = [
    "id", "enabled", "networks", "apps", "environments", "hold_hours", "send", "windows", "include", "method", "url",
    "body", "headers", "booleans", "allow_addresses", "max_age_s", "secret", "retry", "timeout_s", "rate_per_s",
    "connections",
  ]
  static let includeKeys = ["nulls", "lost", "minimum_trust"]
  static let retryKeys = ["delays_s", "give_up_after_s", "on"]

  /// Returns nil if the value is no object; otherwise a partner, which is usable only without problems.
  static func read(
    _ node: JSONNode,
    _ environment: (String) -> String?,
    _ problems: inout ConfigurationProblems
  ) -> Partner? {
    guard problems.isObject(node, keys: keys, called: "A partner") else { return nil }
    let id = problems.text(node["id"], "1 to 64 letters, digits and - _ .", isRequired: true) { text in
      (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(\.isInNames)
        ? text : nil
    }
    let ranges = problems.list(node["allow_addresses"]).compactMap { element in
      problems.text(element, "an address or a range such as \"10.0.0.0/8\"") { AddressRange($0) }
    }
    let addresses = PublicAddress(allowing: ranges)
    let url = url(node["url"], addresses, &problems)
    guard let url = url ?? (try? URLTemplate("https://invalid/")) else { return nil }
    var partner = Partner(id: id ?? "", url: url)
    partner.addresses = addresses
    readChoice(node, &partner, &problems)
    readRequest(node, environment, &partner, &problems)
    readTimes(node, &partner, &problems)
    return partner
  }

  private static func url(
    _ node: JSONNode,
    _ addresses: PublicAddress,
    _ problems: inout ConfigurationProblems
  ) -> URLTemplate? {
    guard let text = problems.text(node, "a URL with or without macros", isRequired: true, { $0 }) else { return nil }
    do throws(Template.Problem) {
      let url = try URLTemplate(text)
      if IPAddress(url.host) != nil, !addresses.allows(url.host) {
        problems.note(node, "The address \(url.host) is not a public one. If it is meant, name it in allow_addresses.")
      }
      return url
    } catch {
      problems.note(node, error.reason)
      return nil
    }
  }

  // MARK: - The postbacks that the partner receives

  private static func readChoice(_ node: JSONNode, _ partner: inout Partner, _ problems: inout ConfigurationProblems) {
    if let isEnabled = problems.boolean(node["enabled"]) { partner.isEnabled = isEnabled }
    let networks = node["networks"]
    if networks.value?.text == "all" {
      partner.networks = nil
    } else if networks.elements?.isEmpty ?? true {
      problems.note(
        networks,
        "The value must be an array of the partner's own network ids, or \"all\", which sends it those of its competitors too."
      )
    } else {
      let ids = problems.list(networks).compactMap { element in
        problems.text(element, "the whole id of a network, such as \"abc123.skadnetwork\"", networkID)
      }
      partner.networks = Set(ids)
    }
    if node["apps"].value != nil {
      partner.apps = Set(problems.list(node["apps"]).compactMap { problems.integer($0, in: 0...Int64.max) })
    }
    let environments = Environment.allCases.map(\.rawValue)
    if let found = problems.words(node["environments"], of: environments) { partner.environments = found }
    if let kinds = problems.words(node["send"], of: DeliveryKind.allCases.map(\.rawValue)) {
      partner.kinds = Set(kinds.compactMap { DeliveryKind(rawValue: $0) })
    }
    if node["windows"].value != nil {
      partner.windows = Set(problems.list(node["windows"]).compactMap { problems.integer($0, in: 0...2) })
      if node["windows"].elements?.isEmpty == true { problems.note(node["windows"], "The array must not be empty.") }
    }
    let include = node["include"]
    guard include.value != nil, problems.isObject(include, keys: includeKeys, called: "The object include") else {
      return
    }
    if let nulls = problems.boolean(include["nulls"]) { partner.includesNulls = nulls }
    if let lost = problems.boolean(include["lost"]) { partner.includesLost = lost }
    if let trust = problems.integer(include["minimum_trust"], in: 0...4) { partner.minimumTrust = trust }
  }

  /// The canonical form of the id of a network; nil if it has no dot, because no postback has such an id.
  private static func networkID(_ text: String) -> String? {
    let words = text.split(separator: ".", omittingEmptySubsequences: false)
    guard words.count > 1, words.allSatisfy({ !$0.isEmpty && !$0.contains(where: \.isWhitespace) }) else { return nil }
    return text.canonicalNetworkID
  }

  // MARK: - The requests

  private static func readRequest(
    _ node: JSONNode,
    _ environment: (String) -> String?,
    _ partner: inout Partner,
    _ problems: inout ConfigurationProblems
  ) {
    if let method = problems.word(node["method"], of: ["GET", "POST"]) { partner.isPost = method == "POST" }
    partner.body = body(node["body"], &problems)
    if !partner.isPost, partner.body != nil {
      problems.note(node["body"], "A GET has no body. Use POST, or remove it.")
    }
    if let word = problems.word(node["booleans"], of: BooleanWords.allCases.map(\.rawValue)) {
      partner.booleans = BooleanWords(rawValue: word) ?? .words
    }
    for (name, value) in node["headers"].members ?? [] {
      if let line = header(name, value, environment, &partner.secrets, &problems) { partner.headers.append(line) }
    }
    if node["headers"].value != nil, node["headers"].members == nil {
      problems.note(node["headers"], "The value must be an object of headers.")
    }
    guard node["secret"].value != nil else { return }
    let nodes = node["secret"].elements ?? [node["secret"]]
    guard (1...2).contains(nodes.count) else {
      return problems.note(node["secret"], "The array must have one secret, or two: the new one and the old one.")
    }
    if !partner.isPost { problems.note(node["secret"], "Only a POST is signed. Use POST, or remove the secret.") }
    let secrets = nodes.compactMap { node -> [UInt8]? in
      guard let text = secret(node, environment, &problems) else { return nil }
      partner.secrets.add(String(decoding: text, as: UTF8.self))
      guard let bytes = WebhookSignature.secret(text), bytes.count >= 16 else {
        problems.note(node, "The secret must have 16 bytes or more, or be whsec_ with as many bytes in base64.")
        return nil
      }
      return bytes
    }
    partner.signature = WebhookSignature(secrets: secrets)
  }

  private static func body(_ node: JSONNode, _ problems: inout ConfigurationProblems) -> BodyTemplate? {
    if node.value == nil { return nil }
    if node.value?.text == "json" { return .wholeObject }
    guard node.members != nil else {
      problems.note(node, "The value must be \"json\", or an object with macros in its strings.")
      return nil
    }
    var found: [(JSONNode, String)] = []
    let body = BodyTemplate(node) { found.append(($0, $1.reason)) }
    for (node, reason) in found { problems.note(node, reason) }
    return body
  }

  /// The names of headers that a request has already, or that would change its meaning.
  private static let reservedHeaders: Set<String> = [
    "host", "content-length", "transfer-encoding", "connection", "expect", "webhook-id", "webhook-timestamp",
    "webhook-signature",
  ]

  private static func header(
    _ name: String,
    _ node: JSONNode,
    _ environment: (String) -> String?,
    _ secrets: inout PartnerSecrets,
    _ problems: inout ConfigurationProblems
  ) -> String? {
    let isName = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(\.isUnreserved)
    guard isName, !reservedHeaders.contains(name.lowercased()) else {
      problems.note(node, "This is not the name of a header that can be set.")
      return nil
    }
    guard let text = problems.text(node, "a text, env:NAME or file:PATH", { $0 }) else { return nil }
    var value = Array(text.utf8)
    if text.hasPrefix("env:") || text.hasPrefix("file:") {
      guard let secret = secret(node, environment, &problems) else { return nil }
      secrets.add(String(decoding: secret, as: UTF8.self))
      value = secret
    } else if text.contains("{") {
      problems.note(node, "A header must not have macros.")
      return nil
    }
    guard !value.isEmpty, value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      problems.note(node, "The value of a header must be one line of text, and not empty.")
      return nil
    }
    return "\(name): \(String(decoding: value, as: UTF8.self))"
  }

  /// Reads the secret that `env:NAME` or `file:PATH` stands for, without line ends behind it.
  private static func secret(
    _ node: JSONNode,
    _ environment: (String) -> String?,
    _ problems: inout ConfigurationProblems
  ) -> [UInt8]? {
    let text = node.value?.text ?? ""
    if text.hasPrefix("env:") {
      let name = String(text.dropFirst("env:".count))
      if let value = environment(name), !value.isEmpty { return Array(value.utf8) }
      problems.note(node, "The environment variable \(name) is not set, or is empty.")
    } else if text.hasPrefix("file:") {
      do throws(FileFailure) {
        var bytes = try WholeFile.read(String(text.dropFirst("file:".count)), upTo: 4096)
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        if !bytes.isEmpty { return bytes }
        problems.note(node, "The file of the secret is empty.")
      } catch {
        problems.note(node, "\(error)")
      }
    } else {
      problems.note(node, "A secret must be env:NAME or file:PATH. It must not stand in this file.")
    }
    return nil
  }

  // MARK: - The times of attempts

  private static func readTimes(_ node: JSONNode, _ partner: inout Partner, _ problems: inout ConfigurationProblems) {
    if let hours = problems.number(node["hold_hours"], in: 0...10_000) { partner.hold = Int64(hours * 3_600_000) }
    if let age = problems.integer(node["max_age_s"], in: 1...1_000_000_000) { partner.maximumAge = age * 1000 }
    if let seconds = problems.number(node["timeout_s"], in: 0.1...60) { partner.timeout = Int64(seconds * 1000) }
    partner.rate = problems.number(node["rate_per_s"], in: 0.001...100_000)
    if let number = problems.integer(node["connections"], in: 1...64) { partner.connections = Int(number) }
    let retry = node["retry"]
    guard retry.value != nil, problems.isObject(retry, keys: retryKeys, called: "The object retry") else { return }
    if retry["delays_s"].value != nil {
      let delays = problems.list(retry["delays_s"]).compactMap { problems.integer($0, in: 1...604_800) }
      if delays.isEmpty {
        problems.note(retry["delays_s"], "The array must have at least one time in seconds.")
      } else {
        partner.retry.delays = delays.map { $0 * 1000 }
      }
    }
    if let seconds = problems.integer(retry["give_up_after_s"], in: 0...31_536_000) {
      partner.retry.givesUpAfter = seconds * 1000
    }
    if retry["on"].value != nil {
      let expected = "\"network\", a status such as \"429\", or \"3xx\", \"4xx\" or \"5xx\""
      let found = problems.list(retry["on"]).compactMap { element in
        problems.text(element, expected) { text in
          let isStatus = Int(text).map { (300...599).contains($0) } ?? false
          return isStatus || ["network", "3xx", "4xx", "5xx"].contains(text) ? text : nil
        }
      }
      partner.retry.retried = Set(found)
    }
  }
}
