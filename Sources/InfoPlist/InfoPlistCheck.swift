internal import Base
internal import CPublicSuffix
package import JSON

/// The check of the ad attribution in an Info.plist.
package struct InfoPlistCheck: Sendable {
  /// The path of the file.
  package let file: String
  /// The format; nil if the file is no property list.
  package private(set) var format: PropertyList.Format?
  /// The ids in `SKAdNetworkItems` and in `AdNetworkIdentifiers`, as they are written.
  package private(set) var skAdNetworkIDs: [String] = []
  package private(set) var adAttributionKitIDs: [String] = []
  /// The addresses for copies of postbacks; nil without a valid key.
  package private(set) var skAdNetworkCopies: String?
  package private(set) var adAttributionKitCopies: String?
  /// Indicates that copies of re-engagement postbacks are asked for.
  package private(set) var asksForReengagements = false
  /// The findings, in the order of the checks.
  package private(set) var findings: [InfoPlistFinding] = []

  package var errorCount: Int { findings.count { $0.code.severity == .error } }

  /// Checks the content of a file. All `networks` must be among its ids.
  package init(file: String, bytes: [UInt8], networks: [String] = []) {
    self.file = file
    let root: PropertyList
    do throws(PropertyListDefect) {
      (root, format) = try PropertyList.parse(bytes)
    } catch {
      note(.unreadable, error.line.map { "line \($0)" } ?? "", nil, error.reason)
      return
    }
    guard case .dictionary(let members) = root else {
      note(.wrongType, "", nil, "The property list is \(root.typeName). An Info.plist is a dictionary.")
      return
    }
    checkKeys(members, "")
    readItems(first(.skAdNetworkItems, members))
    readIdentifiers(first(.adNetworkIdentifiers, members))
    readCopies(members)
    readBoolean(first(.overlappingConversions, members), InfoPlistKey.overlappingConversions.rawValue)
    readConfigurations(first(.configurations, members))
    let (skAdNetwork, adAttributionKit) = (Set(skAdNetworkIDs), Set(adAttributionKitIDs))
    for network in networks { checkPresence(network, skAdNetwork, adAttributionKit) }
  }

  package var json: JSONValue {
    .object([
      .init("file", .string(file)), .init("format", .text(format?.rawValue)),
      .init("skadnetwork_ids", .integer(skAdNetworkIDs.count)),
      .init("adattributionkit_ids", .integer(adAttributionKitIDs.count)),
      .init("skadnetwork_copies", .text(skAdNetworkCopies)),
      .init("adattributionkit_copies", .text(adAttributionKitCopies)),
      .init("reengagement_copies", .bool(asksForReengagements)),
      .init("findings", .array(findings.map(\.json))),
    ])
  }

  mutating func note(_ code: InfoPlistFinding.Code, _ keyPath: String, _ found: String?, _ advice: String) {
    findings.append(InfoPlistFinding(code: code, keyPath: keyPath, found: found, advice: advice))
  }

  private func first(_ key: InfoPlistKey, _ members: [PropertyList.Member]) -> PropertyList? {
    members.first { $0.key == key.rawValue }?.value
  }

  /// Finds keys of ours in another spelling, keys that a dictionary has twice, and keys that the system does not know: in a
  /// dictionary that has those of `known` alone, else those that are named nearly like ours.
  mutating func checkKeys(_ members: [PropertyList.Member], _ prefix: String, known: [String]? = nil) {
    let names = known ?? InfoPlistKey.allCases.map(\.rawValue)
    var seen: Set<String> = []
    for member in members {
      let (place, lower) = (prefix + member.key, member.key.lowercased())
      if let name = names.first(where: { $0.lowercased() == lower }), name != member.key {
        note(.keySpelling, place, member.key, "The system does not know the key. Write \(name).")
        continue
      }
      let nearest = InfoPlistKey.meant(by: lower, among: names) ?? member.key.nearest(among: names)
      let isOurs = known != nil || nearest != nil || lower.contains("adattributionkit")
      if !names.contains(member.key), isOurs {
        let advice = nearest.map { "Write \($0)" } ?? "Remove it, or write one of \(names.joined(separator: ", "))"
        note(.keyUnknown, place, member.key, "The system does not know the key. \(advice).")
      } else if !seen.insert(member.key).inserted {
        note(.keyTwice, place, nil, "The dictionary has the key twice, and one of them is lost. Join them.")
      }
    }
  }

  // MARK: - Ids of ad networks

  private mutating func readItems(_ value: PropertyList?) {
    let name = InfoPlistKey.skAdNetworkItems.rawValue
    guard let value else { return }
    guard case .array(let items) = value else {
      return note(.wrongType, name, nil, "The value is \(value.typeName). It must be an array of dictionaries.")
    }
    let key = InfoPlistKey.skAdNetworkIdentifier.rawValue
    var firsts: [String: Int] = [:]
    for (index, item) in items.enumerated() {
      let place = "\(name)[\(index)]"
      guard case .dictionary(let members) = item else {
        note(.wrongType, place, nil, "The element is \(item.typeName). It must be a dictionary with \(key).")
        continue
      }
      checkKeys(members, "\(place).")
      switch first(.skAdNetworkIdentifier, members) {
      case .string(let id)?:
        checkID(id, "\(place).\(key)", at: skAdNetworkIDs.count, &firsts)
        skAdNetworkIDs.append(id)
      case let other?: note(.wrongType, "\(place).\(key)", nil, "The value is \(other.typeName). It must be a text.")
      case nil:
        note(.keyMissing, place, nil, "The element has no \(key), so it has no effect. Add the id, or remove it.")
      }
    }
  }

  private mutating func readIdentifiers(_ value: PropertyList?) {
    let name = InfoPlistKey.adNetworkIdentifiers.rawValue
    guard let value else { return }
    guard case .array(let items) = value else {
      return note(.wrongType, name, nil, "The value is \(value.typeName). It must be an array of texts.")
    }
    var firsts: [String: Int] = [:]
    for (index, item) in items.enumerated() {
      guard case .string(let id) = item else {
        note(.wrongType, "\(name)[\(index)]", nil, "The element is \(item.typeName). It must be the id itself, a text.")
        continue
      }
      checkID(id, "\(name)[\(index)]", at: adAttributionKitIDs.count, &firsts)
      adAttributionKitIDs.append(id)
    }
  }

  static let skAdNetworkSuffix = ".skadnetwork"
  static let adAttributionKitSuffix = ".adattributionkit"

  /// Checks an id. Both lists may have ids of both frameworks, which Apple takes for each other (article "Understanding AdAttributionKit
  /// and SKAdNetwork interoperability"). `firsts` has the index of the first of equal ids, by the id in lower case.
  private mutating func checkID(_ id: String, _ place: String, at index: Int, _ firsts: inout [String: Int]) {
    if id.namesBuildSetting { return noteVariable(id, place) }
    let lower = id.lowercased()
    if let first = firsts[lower] {
      note(.idTwice, place, id, "The id is also at the index \(first). Remove one of both.")
    } else {
      firsts[lower] = index
    }
    let suffixes = [Self.skAdNetworkSuffix, Self.adAttributionKitSuffix]
    guard let suffix = suffixes.first(where: lower.hasSuffix) else {
      let expected = suffixes.joined(separator: " or ")
      return note(.idSuffix, place, id, "The id must end in \(expected), with nothing behind it.")
    }
    let prefix = lower.dropLast(suffix.count)
    guard !prefix.isEmpty, prefix.utf8.allSatisfy({ $0.isInNames && $0 != UInt8(ascii: "_") }) else {
      return note(.idForm, place, id, "Before \(suffix) there must be letters and digits alone, without spaces.")
    }
    if lower != id { note(.idUpperCase, place, id, "The system compares exactly. Write \(lower.shown).") }
    if prefix.count != 10 {
      let advice = "Apple's ids have ten letters and digits before \(suffix). Compare it with the network's."
      note(.idUnusual, place, id, advice)
    }
  }

  private mutating func checkPresence(_ network: String, _ skAdNetwork: Set<String>, _ adAttributionKit: Set<String>) {
    let isSKAdNetwork = network.hasSuffix(Self.skAdNetworkSuffix)
    let key = isSKAdNetwork ? InfoPlistKey.skAdNetworkItems : .adNetworkIdentifiers
    guard !(isSKAdNetwork ? skAdNetwork : adAttributionKit).contains(network) else { return }
    note(.networkMissing, key.rawValue, nil, "The list does not have \(network.shown), which must be in it. Add it.")
  }

  private mutating func noteVariable(_ value: String, _ place: String) {
    note(.variable, place, value, "The value is a build setting. Check the Info.plist in the built app instead.")
  }

  // MARK: - Copies of postbacks

  private mutating func readCopies(_ members: [PropertyList.Member]) {
    let name = InfoPlistKey.skAdNetworkCopies.rawValue
    let skAdNetworkHost = endpoint(first(.skAdNetworkCopies, members), name)
    skAdNetworkCopies = skAdNetworkHost.map { "https://\($0)/.well-known/skadnetwork/report-attribution/" }
    if first(.skAdNetworkCopies, members) == nil {
      let advice = "Without it no copies of SKAdNetwork's postbacks come. Add https:// and your domain."
      note(.endpointMissing, name, nil, advice)
    }
    let key = InfoPlistKey.adAttributionKitCopies.rawValue
    var nested: [PropertyList.Member] = []
    let container = InfoPlistKey.adAttributionKit.rawValue
    switch first(.adAttributionKit, members) {
    case .dictionary(let found)?:
      nested = found
      let known = [InfoPlistKey.adAttributionKitCopies, .nestedReengagementCopies].map(\.rawValue)
      checkKeys(found, "\(container).", known: known)
    case let other?:
      note(.wrongType, container, nil, "The value is \(other.typeName). It must be a dictionary with \(key).")
    case nil: break
    }
    let values = [
      ("\(container).\(key)", first(.adAttributionKitCopies, nested)), (key, first(.adAttributionKitCopies, members)),
    ]
    var hosts: [String] = []
    for (place, value) in values { if let host = endpoint(value, place) { hosts.append(host) } }
    if let first = hosts.first {
      adAttributionKitCopies = "https://\(first)/.well-known/appattribution/report-attribution/"
      if let last = hosts.last, last != first {
        note(.endpointsDiffer, key, last, "\(container) has another domain, \(first). Remove one of both keys.")
      }
    }
    if values.allSatisfy({ $0.1 == nil }) {
      let advice = "Without it no copies of AdAttributionKit's postbacks come. Add https:// and your domain."
      note(.endpointMissing, "\(container).\(key)", nil, advice)
    } else {
      readReengagement(nested, members)
    }
  }

  /// Returns a Boolean, and false, with a finding unless the key is absent, if there is none.
  @discardableResult
  private mutating func readBoolean(_ value: PropertyList?, _ place: String) -> Bool {
    switch value {
    case .boolean(let flag)?: return flag
    case let other?: note(.wrongType, place, nil, "The value is \(other.typeName). It must be a Boolean.")
    case nil: break
    }
    return false
  }

  private mutating func readReengagement(_ nested: [PropertyList.Member], _ members: [PropertyList.Member]) {
    let place = "\(InfoPlistKey.adAttributionKit.rawValue).\(InfoPlistKey.nestedReengagementCopies.rawValue)"
    let values = [
      (place, first(.nestedReengagementCopies, nested)),
      (InfoPlistKey.reengagementCopies.rawValue, first(.reengagementCopies, members)),
    ]
    for (place, value) in values {
      if readBoolean(value, place) { asksForReengagements = true }
    }
    guard values.allSatisfy({ $0.1 == nil }) else { return }
    let advice = "Without it no copies of re-engagements come. Add it with true if you want them."
    note(.reengagementMissing, place, nil, advice)
  }

  /// Returns the host of an address for copies; nil, with a finding unless the key is absent, if there is none.
  private mutating func endpoint(_ value: PropertyList?, _ place: String) -> String? {
    guard let value else { return nil }
    guard case .string(let text) = value else {
      note(.wrongType, place, nil, "The value is \(value.typeName). It must be a text.")
      return nil
    }
    if text.namesBuildSetting {
      noteVariable(text, place)
      return nil
    }
    let rest = text.dropFirst("https://".count)
    let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    func isPlain(_ label: Substring) -> Bool {
      !label.isEmpty && label.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
    }
    guard text.lowercased().hasPrefix("https://"), labels.count > 1, labels.allSatisfy(isPlain),
      labels.last?.contains(where: \.isLetter) == true
    else {
      note(.endpointInvalid, place, text, "The value must be https:// and a domain alone, such as https://example.com.")
      return nil
    }
    if rest.count > host.count, rest.dropFirst(host.count) != "/" {
      note(.endpointPath, place, text, "The system uses only the registrable domain. Remove what is behind \(host).")
    }
    let domain = host.lowercased()
    guard
      let registrable = unsafe domain.withCString({ name in
        unsafe cpublicsuffix_registrable(name).map { unsafe String(cString: $0) }
      })
    else {
      let advice = "\(domain) is a public suffix, under which others have their domains. Write your own."
      note(.endpointInvalid, place, text, advice)
      return nil
    }
    if registrable != domain {
      let advice = "Copies go to the registrable domain, \(registrable). Write https://\(registrable)."
      note(.endpointSubdomain, place, text, advice)
    }
    return registrable
  }
}

extension String {
  /// Tells if the text names a build setting, which Xcode replaces in either form, `$(NAME)` or `${NAME}`.
  fileprivate var namesBuildSetting: Bool { contains("$(") || contains("${") }
}
