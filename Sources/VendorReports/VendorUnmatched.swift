internal import Base
internal import JSON

/// The rows of a vendor that cannot be compared as they are, because it is not known which postbacks they count.
package struct VendorUnmatched: Sendable, Equatable {
  /// The rows whose network is not known, while the vendor names networks.
  package internal(set) var networks = 0
  /// The rows whose app is not known, while the vendor names apps.
  package internal(set) var apps = 0
  /// The rows with a window that cannot be read.
  package internal(set) var windows = 0
  /// The first names of networks that are not known, in their order.
  private(set) var names: [String] = []

  private static let mostNames = 3
  private static let longestName = 80

  init() {}

  /// Reads the members of a JSON object.
  init(_ json: JSONValue?) {
    func count(_ key: String) -> Int { Int(clamping: json?[key]?.integer ?? 0) }
    (networks, apps, windows) = (count("network_not_known"), count("app_not_known"), count("window_not_known"))
    names = json?["network_names"]?.elements?.compactMap(\.text) ?? []
  }

  /// Notes the name of a network that is not known.
  mutating func add(_ name: String) {
    let name = String(name.prefix(Self.longestName))
    guard !names.contains(name) else { return }
    names = Array((names + [name]).sorted().prefix(Self.mostNames))
  }

  var json: JSONValue {
    .object([
      .init("network_not_known", .integer(networks)), .init("app_not_known", .integer(apps)),
      .init("window_not_known", .integer(windows)), .init("network_names", .texts(names)),
    ])
  }

  /// Returns sentences about the export of a vendor: the rows that are not compared, with the reason and the remedy.
  func sentences(on vendor: String) -> [String] {
    func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count) rows" }
    var sentences: [String] = []
    if networks > 0 {
      let examples = names.isEmpty ? "" : ", such as \(names.joined(separator: ", ").withControlCharactersEscaped)"
      sentences.append(
        "The export of \(vendor) has \(rows(networks)) whose ad network is not known by an id\(examples). Such rows are compared "
          + "with nothing. Give the ids of the networks in the export, or --lookups with a networks.csv in which each name has one id."
      )
    }
    if apps > 0 {
      sentences.append(
        "The export of \(vendor) has \(rows(apps)) whose app is not known by its number. Such rows are compared with nothing. "
          + "Give the numbers of the apps in the App Store."
      )
    }
    if windows > 0 {
      sentences.append(
        "The export of \(vendor) has \(rows(windows)) with a conversion window that cannot be read, so its postbacks of all windows "
          + "are compared as one number, and its transactions are not compared. Give the windows as 0, 1 and 2."
      )
    }
    return sentences
  }
}
