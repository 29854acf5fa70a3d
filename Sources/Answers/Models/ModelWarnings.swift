internal import Base
package import ConversionModel

extension Models {
  /// The sentences about what a loader allows in models, and what is probably a mistake.
  package var warnings: [String] {
    appIDs.flatMap { app in
      let models = models(for: app)
      return zip(models, models.dropFirst()).compactMap { Self.warning(between: $0, $1) }
        + [Self.warning(ofNamesIn: models)].compactMap(\.self) + models.flatMap(\.warnings)
    }
  }

  /// Warns of installs after a version of a model and before the next one.
  private static func warning(between model: ConversionModel, _ next: ConversionModel) -> String? {
    guard let end = model.span.end, let start = next.span.start, end < start else { return nil }
    return "app \(model.appID): No model is in force for installs from \(end) to \(start), between \(model.label) and "
      + "\(next.label). Values that may be of such installs are ambiguous, or have no model. Let one end where the other begins."
  }
}

extension Models {
  /// Warns of the first event of an app whose name Unicode holds equal to another one, in other bytes. Strings compare so, but tables
  /// do not.
  private static func warning(ofNamesIn models: [ConversionModel]) -> String? {
    var first: [String: String] = [:]
    for model in models {
      for name in model.eventNames {
        let other = first[name] ?? name
        first[name] = other
        guard !other.utf8.elementsEqual(name.utf8) else { continue }
        return "\(model.label) of app \(model.appID): The event \(name.escapedScalars) looks like "
          + "\(other.escapedScalars), which the app has, too. Daily tables add them up, and skan_events does not. Write the name in one way."
      }
    }
    return nil
  }
}

extension ConversionModel {
  fileprivate var warnings: [String] {
    let name = "\(label) of app \(appID)"
    var warnings: [String] = []
    if let currency, !CurrencyCodes.all.contains(currency) {
      warnings.append("\(name): ISO 4217 has no currency \(currency). Check the code.")
    }
    if bundleID != nil, let event = eventNames.first(where: { !$0.canBeSent }) {
      warnings.append(
        "\(name): An app cannot send the event \(event.quotedExcerpt) to the conversion value API, nor count it with the client, "
          + "because events there have 1 to 32 ASCII characters. Give it another name in a new version."
      )
    }
    return warnings + windows.compactMap { $0.warning(of: name) }
  }
}

extension ModelWindow {
  /// Warns of the first value that names an event twice.
  fileprivate func warning(of model: String) -> String? {
    let fine = fineValues.map { ("\($0)", meaning(fine: $0)) }
    let coarse = CoarseValue.allCases.map { ($0.rawValue, meaning(coarse: $0)) }
    for (value, meaning) in fine + coarse {
      var names: Set<String> = []
      guard let event = meaning?.events.first(where: { !names.insert($0.name).inserted }) else { continue }
      return "\(model), window \(postbackSequenceIndex): The value \(value) names the event "
        + "\(event.name.quotedExcerpt) twice. skan_events has a row for each, but skan_daily_events, and the revenue by "
        + "its source in skan_daily, count the first alone. Put its count and its revenue into one."
    }
    return nil
  }
}

extension String {
  /// Indicates that the conversion value API takes the text as the name of an event, and that the client counts it.
  fileprivate var canBeSent: Bool { (1...32).contains(utf8.count) && utf8.allSatisfy { (0x20...0x7E).contains($0) } }

  /// The text in quotes, with each character that is not ASCII as `\u{…}`.
  fileprivate var escapedScalars: String { "\"" + unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\"" }
}
