internal import Base
internal import DurableFiles
internal import JSON
internal import PostbackVerification

/// Reads a configuration file and collects every problem in it.
struct ConfigurationReader {
  let file: String
  let readsSecrets: Bool
  /// Indicates that the files with the tokens of the page's users are opened.
  var readsViewTokens: Bool
  var problems: ConfigurationProblems

  /// Creates a reader. Without `readsSecrets` it opens no file with a secret, and returns no forwarders.
  init(file: String, readsSecrets: Bool = true) {
    self.file = file
    self.readsSecrets = readsSecrets
    readsViewTokens = readsSecrets
    problems = ConfigurationProblems(file: file)
  }

  /// Reads the file. The result is usable only if there are no `problems` afterwards.
  mutating func read() -> ServerConfiguration {
    var configuration = ServerConfiguration()
    let root: JSONNode
    do throws(FileFailure) {
      let text = try WholeFile.read(file, upTo: 1 << 20)
      do throws(JSONDefect) { root = JSONNode(value: try JSONValue(parsing: text), pointer: "") } catch {
        problems.note(JSONNode(value: nil, pointer: ""), error.advice(in: text))
        return configuration
      }
    } catch {
      problems.note(JSONNode(value: nil, pointer: ""), error.reason)
      return configuration
    }
    guard problems.isObject(root, keys: Self.keys, called: "The configuration") else { return configuration }
    let listen = problems.text(root["listen"], "a host and a port such as \"127.0.0.1:8080\"") { ListenAddress($0) }
    configuration.listen = listen ?? configuration.listen
    configuration.metricsListen = problems.text(root["metrics_listen"], "a host and a port such as \"127.0.0.1:9464\"")
    {
      ListenAddress($0)
    }
    configuration.spool = problems.path(root["spool"], of: "a folder")
    configuration.out = problems.path(root["out"], of: "a folder")
    configuration.state = problems.path(root["state"], of: "a folder")
    configuration.retainedDays = problems.text(root["retain"], "a number of days from 1 to 36500, such as \"400d\"") {
      text in
      text.hasSuffix("d") ? Int(text.dropLast()).flatMap { (1...36_500).contains($0) ? $0 : nil } : nil
    }
    if root["retain_tables"].value != nil {
      if root["retain_tables"].elements?.isEmpty == true { problems.note(root["retain_tables"], "The array is empty.") }
      configuration.retainedTables = problems.list(root["retain_tables"]).compactMap { node in
        problems.text(node, "skan_postbacks, skan_events or skan_rejects") { text in
          ["skan_postbacks", "skan_events", "skan_rejects"].contains(text) ? text : nil
        }
      }
    }
    do throws(TrustError) {
      // The names of Apple's keys are taken.
      var trust = try TrustPolicy.apple()
      configuration.appleKeys = keys(root["apple_keys"], ofApple: true, &trust)
      configuration.trustedKeys = keys(root["trusted_keys"], ofApple: false, &trust)
    } catch {
      problems.note(root["trusted_keys"], "The \(error).")
    }
    configuration.models = problems.list(root["models"]).compactMap { problems.path($0, of: "a file or a folder") }
    configuration.events = problems.path(root["events"], of: "a folder")
    configuration.rates = problems.path(root["rates"], of: "a file")
    configuration.apps = apps(root["apps"])
    if root["sdk_keys"].value != nil {
      let keys = problems.list(root["sdk_keys"]).compactMap { problems.text($0, "a key") { $0.isEmpty ? nil : $0 } }
      configuration.sdkKeys = Set(keys)
    }
    configuration.trustedProxies = problems.list(root["trusted_proxies"]).compactMap { node in
      problems.text(node, "an address or a range such as \"10.0.0.0/8\"") { AddressRange($0) }
    }
    configuration.forwarders = forwarders(root["forwarders"])
    for node in problems.list(root["schema_token_files"]) where readsSecrets {
      if let token = secret(in: node, isToken: true) { configuration.schemaTokens.append(token) }
    }
    readLimits(root["limits"], LimitSetting.all, into: &configuration)
    for node in root["forwarders"].elements ?? [] where node["limits"].value != nil {
      var own = configuration
      readLimits(node["limits"], LimitSetting.ofForwarder, into: &own)
      if let name = node["name"].value?.text { configuration.forwarderQuotas[name] = own.forwarderQuota }
    }
    configuration.view = view(root["view"])
    checkAddresses(root, configuration)
    configuration.derived = DerivedConfiguration(root, &problems)
    return configuration
  }

  /// Notes addresses that several servers would listen on.
  private mutating func checkAddresses(_ root: JSONNode, _ configuration: ServerConfiguration) {
    var taken: [ListenAddress: String] = [:]
    // The address of listen has a default, which a configuration without a receiver does not use.
    if root["listen"].value != nil || configuration.spool != nil { taken[configuration.listen] = "listen" }
    for (node, name, address) in [
      (root["metrics_listen"], "metrics_listen", configuration.metricsListen),
      (root["view"]["listen"], "listen of view", configuration.view?.listen),
    ] {
      guard let address, address.port > 0 else { continue }
      if let other = taken[address] { problems.note(node, "The address is that of \(other), too. Give another port.") }
      taken[address] = name
    }
  }

  static let keys =
    [
      "listen", "metrics_listen", "spool", "out", "state", "retain", "retain_tables", "trusted_keys", "apple_keys",
      "models", "rates", "events", "apps", "sdk_keys", "trusted_proxies", "forwarders", "schema_token_files", "limits",
      "view",
    ] + DerivedConfiguration.keys

  static let trustedKeyKeys = ["id", "key"]

  static let appleKeyKeys = ["id", "key", "environment", "valid_from"]

  static let forwarderKeys =
    ["name", "bearer_token_file", tokenParameterKey, "hmac_secret_file"] + signatureKeys + ["limits"]

  private static let tokenParameterKey = "bearer_token_parameter"

  static let signatureKeys = ["hmac_header", "hmac_covers", "hmac_timestamp_header", "hmac_window_seconds"]

  private mutating func readLimits(
    _ node: JSONNode,
    _ limits: [LimitSetting],
    into configuration: inout ServerConfiguration
  ) {
    guard node.value != nil else { return }
    guard problems.isObject(node, keys: limits.map(\.key), called: "The object \"limits\"") else { return }
    for limit in limits {
      let range = Int64(limit.range.lowerBound)...Int64(limit.range.upperBound)
      if let value = problems.integer(node[limit.key], in: range) { configuration[keyPath: limit.path] = Int(value) }
    }
  }

  /// Reads the keys of a list and adds them to the trusted ones, which have no name twice.
  private mutating func keys(_ node: JSONNode, ofApple: Bool, _ trust: inout TrustPolicy) -> [ConfiguredKey] {
    var keys: [ConfiguredKey] = []
    for element in problems.list(node) {
      let (names, title) = ofApple ? (Self.appleKeyKeys, "A key of Apple's") : (Self.trustedKeyKeys, "A trusted key")
      guard problems.isObject(element, keys: names, called: title) else { continue }
      let id = problems.text(element["id"], "the name of the key", isRequired: true) { $0.isEmpty ? nil : $0 }
      let base64 = problems.text(element["key"], "a public key in base64", isRequired: true) { $0 }
      var environment: Environment? = .custom
      var validFrom: Timestamp?
      if ofApple {
        environment = problems.text(element["environment"], "production or development", isRequired: true) { text in
          Environment(rawValue: text).flatMap { $0 == .custom ? nil : $0 }
        }
        validFrom = problems.text(element["valid_from"], "a date or a time such as \"2026-12-01T00:00:00Z\"") {
          Timestamp(dateOrTime: $0)
        }
        if element["valid_from"].value != nil, validFrom == nil { continue }
      }
      guard let id, let base64, let environment else { continue }
      let key = ConfiguredKey(id: id, base64: base64, environment: environment, validFrom: validFrom)
      do throws(TrustError) {
        try key.add(to: &trust)
        keys.append(key)
      } catch {
        problems.note(element, "The \(error).")
      }
    }
    return keys
  }

  private mutating func apps(_ node: JSONNode) -> [String: Int64] {
    guard node.value != nil else { return [:] }
    guard let members = node.members else {
      problems.note(node, "The value must be an object with an App Store id for each bundle id.")
      return [:]
    }
    var apps: [String: Int64] = [:]
    for (bundleID, node) in members {
      guard case .number(let digits) = node.value, let appID = Int64(digits), appID > 0 else {
        problems.note(node, "The value must be an App Store id, which is an integer from 1.")
        continue
      }
      apps[bundleID] = appID
    }
    return apps
  }

  private mutating func forwarders(_ node: JSONNode) -> [Forwarder] {
    var forwarders: [Forwarder] = []
    for element in problems.list(node) {
      guard let forwarder = forwarder(element) else { continue }
      if forwarders.contains(where: { $0.name == forwarder.name }) {
        problems.note(element["name"], "Another forwarder has this name already.")
      } else if forwarders.contains(where: { !$0.secret.all.isDisjoint(with: forwarder.secret.all) }) {
        problems.note(element, "Another forwarder has the same secret. Give each forwarder its own secret.")
      } else {
        forwarders.append(forwarder)
      }
    }
    return forwarders
  }

  private mutating func forwarder(_ node: JSONNode) -> Forwarder? {
    guard problems.isObject(node, keys: Self.forwarderKeys, called: "A forwarder") else { return nil }
    let name = problems.text(node["name"], "1 to 64 letters, digits and - _ . :", isRequired: true) { text in
      let isName =
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isInNames || $0 == UInt8(ascii: ":") }
      return isName ? text : nil
    }
    let signature = requestSignature(node)
    let (token, secret) = (node["bearer_token_file"], node["hmac_secret_file"])
    guard (token.value == nil) != (secret.value == nil) else {
      problems.note(node, "A forwarder must have either bearer_token_file or hmac_secret_file.")
      return nil
    }
    for key in Self.signatureKeys where token.value != nil && node[key].value != nil {
      problems.note(node[key], "The key \(key) has no effect without hmac_secret_file.")
    }
    let parameter = problems.text(node[Self.tokenParameterKey], "the name of a parameter of the query", Self.word)
    if token.value == nil, node[Self.tokenParameterKey].value != nil {
      problems.note(
        node[Self.tokenParameterKey],
        "The key \(Self.tokenParameterKey) has no effect without bearer_token_file."
      )
    }
    guard readsSecrets else { return nil }
    let secrets = self.secrets(in: token.value == nil ? secret : token, areTokens: token.value != nil)
    guard let secrets, let name else { return nil }
    let credential: Forwarder.Secret =
      token.value == nil ? .hmac(secrets: secrets, signature) : .bearer(tokens: secrets)
    return Forwarder(name: name, secret: credential, tokenParameter: parameter)
  }

  /// The name of a parameter or of a header; nil for another text.
  private static func word(_ text: String) -> String? {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(\.isInNames) ? text : nil
  }

  /// Reads the form in which a forwarder signs: by default the body alone.
  private mutating func requestSignature(_ node: JSONNode) -> RequestSignature {
    var signature = RequestSignature()
    signature.header = problems.text(node["hmac_header"], "the name of a header", Self.word) ?? signature.header
    if node["hmac_covers"].value != nil {
      let parts = problems.list(node["hmac_covers"]).compactMap { problems.text($0, "a part of the request") { $0 } }
      switch parts.sorted() {
      case ["body"]: break
      case ["body", "path", "query", "timestamp"]: signature.timestamp = RequestSignature.Timestamp()
      default:
        problems.note(
          node["hmac_covers"],
          "The value must be [\"body\"], or [\"path\", \"query\", \"body\", \"timestamp\"]."
        )
      }
    }
    guard signature.timestamp != nil else {
      for key in ["hmac_timestamp_header", "hmac_window_seconds"] where node[key].value != nil {
        problems.note(node[key], "The key \(key) has no effect unless hmac_covers has \"timestamp\".")
      }
      return signature
    }
    if let name = problems.text(node["hmac_timestamp_header"], "the name of a header", Self.word) {
      signature.timestamp?.header = name
    }
    if let window = problems.integer(node["hmac_window_seconds"], in: 1...86_400) {
      signature.timestamp?.window = Int(window)
    }
    return signature
  }
}

extension Forwarder.Secret {
  fileprivate var all: Set<[UInt8]> {
    switch self {
    case .bearer(let secrets), .hmac(let secrets, _): Set(secrets)
    }
  }
}
