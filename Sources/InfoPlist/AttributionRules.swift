/// The attribution rules of an app, from iOS 18.4 on: Apple's article "Configuring attribution rules for your app".
extension InfoPlistCheck {
  private enum Key {
    static let (windows, cooldown, global) = ("AttributionWindows", "AttributionCooldown", "global")
    static let (install, ignored) = ("install", "ignoreInteractionType")
    /// The interactions with the most days for which they may count.
    static let interactions = [("click", 30), ("view", 7)]
    static let cooldowns = ["install-cooldown-hours", "re-engagement-cooldown-hours"]
    static let mostCooldownHours = 720
  }

  /// Checks the dictionary of the configurations.
  mutating func readConfigurations(_ value: PropertyList?) {
    let place = InfoPlistKey.configurations.rawValue
    guard let value, let members = dictionary(value, place, [Key.windows, Key.cooldown]) else { return }
    for member in members {
      switch member.key {
      case Key.windows: readWindows(member.value, "\(place).\(Key.windows)")
      case Key.cooldown:
        let place = "\(place).\(Key.cooldown)"
        for hours in dictionary(member.value, place, Key.cooldowns) ?? [] where Key.cooldowns.contains(hours.key) {
          checkNumber(hours.value, "\(place).\(hours.key)", 0...Key.mostCooldownHours, "hours")
        }
      default: break
      }
    }
  }

  private mutating func readWindows(_ value: PropertyList, _ place: String) {
    for network in dictionary(value, place, nil) ?? [] {
      let (place, isGlobal) = ("\(place).\(network.key)", network.key == Key.global)
      let lower = network.key.lowercased()
      if !isGlobal, lower == Key.global {
        note(.keySpelling, place, network.key, "The system does not know the key. Write \(Key.global).")
      } else if !isGlobal, ![Self.skAdNetworkSuffix, Self.adAttributionKitSuffix].contains(where: lower.hasSuffix) {
        note(.idUnusual, place, network.key, "The key must be \(Key.global) or the id of an ad network. Compare it.")
      } else if lower != network.key {
        note(.idUpperCase, place, network.key, "The system compares exactly. Write \(lower.shown).")
      }
      for kind in dictionary(network.value, place, [Key.install]) ?? [] where kind.key == Key.install {
        readWindow(kind.value, "\(place).\(Key.install)", isGlobal: isGlobal)
      }
    }
  }

  private mutating func readWindow(_ value: PropertyList, _ place: String, isGlobal: Bool) {
    let interactions = Key.interactions.map(\.0)
    guard let members = dictionary(value, place, interactions + [Key.ignored]) else { return }
    let ignored = members.first { $0.key == Key.ignored }?.value
    for (name, mostDays) in Key.interactions {
      guard let days = members.first(where: { $0.key == name })?.value else { continue }
      checkNumber(days, "\(place).\(name)", 1...mostDays, "days")
      if ignored == .string(name), !isGlobal {
        note(.noEffect, "\(place).\(name)", nil, "\(Key.ignored) leaves all of these out. Remove one of both keys.")
      }
    }
    switch ignored {
    case .string(let name)?:
      let ignoredPlace = "\(place).\(Key.ignored)"
      if isGlobal {
        note(.noEffect, ignoredPlace, name, "The system does not know it here. Give it for each ad network.")
      } else if !interactions.contains(name) {
        note(.valueRange, ignoredPlace, name, "The value must be \(interactions.joined(separator: " or ")).")
      }
    case let other?:
      note(.wrongType, "\(place).\(Key.ignored)", nil, "The value is \(other.typeName). It must be a text.")
    case nil: break
    }
  }

  /// The members of a dictionary, of which those that are not `known` are findings; nil, with a finding, if it is none.
  private mutating func dictionary(
    _ value: PropertyList,
    _ place: String,
    _ known: [String]?
  ) -> [PropertyList.Member]? {
    guard case .dictionary(let members) = value else {
      note(.wrongType, place, nil, "The value is \(value.typeName). It must be a dictionary.")
      return nil
    }
    if let known { checkKeys(members, "\(place).", known: known) }
    return members
  }

  private mutating func checkNumber(_ value: PropertyList, _ place: String, _ range: ClosedRange<Int>, _ unit: String) {
    let expected = "\(range.lowerBound) to \(range.upperBound) \(unit)"
    guard case .integer(let number) = value else {
      return note(.wrongType, place, nil, "The value is \(value.typeName). It must be a whole number: \(expected).")
    }
    if !range.contains(number) { note(.valueRange, place, "\(number)", "The system takes \(expected).") }
  }
}
