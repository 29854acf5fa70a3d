internal import Tampering
internal import SKAdNetwork
internal import SyntheticTraffic

/// The command-line options that determine the composition of a dump.
enum MixOptions {
  static let options =
    [
      Option(
        "--versions",
        "LIST",
        "Weights of the versions; aak is AdAttributionKit. The default is\n4.0=70,3.0=8,2.2=5,2.1=4,2.0=1,1.0=1,aak=11."
      ),
      Option("--windows", "LIST", "Weights of the conversion windows of 4.0 and aak; default 0=70,1=20,2=10."),
      Option("--tiers", "LIST", "Weights of Apple's data tiers in 4.0 and aak; default 0=10,1=25,2=35,3=30."),
      Option("--app", "ID", "The id of an advertised app; may be repeated. The default is four apps."),
      Option("--forged", "SHARE", "Share of lines, from 0 to 1, with an invented signature; default 0.02."),
      Option("--edited", "SHARE", "Share of lines with a signed field changed after signing; default 0.02."),
      Option("--edit", "FIELD", "The field that edits change; may be repeated. The default is any signed field."),
      Option(
        "--edit-kind",
        "KIND",
        "How lines are edited: value, pair, letter-case, white-space, percent-encoding,\nswap, signature. May be repeated; the default is value."
      ),
      Option(
        "--duplicate",
        "SHARE",
        "Share of lines that copy an accepted one of the last few thousand; default 0.05."
      ),
      Option("--malformed", "SHARE", "Share of lines that are not a well-formed postback; default 0.01."),
      Option("--zero-filled", "SHARE", "Share of lines with a source-app-id of 0 added after signing; default 0.01."),
      Option("--valid-only", nil, "Set all these shares to 0."),
    ]

  /// Returns the mix that the options describe. Without `--app` the advertised apps are `standardApps`.
  static func mix(_ arguments: Arguments, standardApps: [Int64]) throws(CommandFailure) -> Mix {
    let formats = try arguments.value("--versions", "weights of 1.0 to 4.0 and aak, such as 4.0=9,aak=1") { text in
      Weights(text) { PostbackFormat(name: $0) }
    }
    let windows = try arguments.value("--windows", "weights of 0 to 2, such as 0=7,1=2,2=1") { text in
      Weights(text) { name in Int64(name).flatMap { Field.postbackSequenceIndex.range.contains($0) ? $0 : nil } }
    }
    let tiers = try arguments.value("--tiers", "weights of 0 to 3, such as 2=1,3=1") { text in
      Weights(text) { name in Int(name).flatMap { (0...3).contains($0) ? $0 : nil } }
    }
    let mix = Mix(
      formats: formats,
      windows: windows,
      tiers: tiers,
      shares: try shares(arguments),
      editableFields: try editableFields(arguments),
      editKinds: try editKinds(arguments),
      apps: try apps(arguments) ?? standardApps
    )
    for field in mix.editableFields where arguments.has("--edit") {
      guard mix.formats.choices.contains(where: { $0.editableFields.contains(field) }) else {
        throw CommandFailure(.usage, "--edit is \(field.name), but no version in --versions signs that field")
      }
    }
    for kind in mix.editKinds
    where !mix.formats.choices.contains(where: { kind.applies(to: $0, among: mix.editableFields) }) {
      throw CommandFailure(
        .usage,
        "--edit-kind is \(kind.rawValue), but no version in --versions signs the fields that it changes"
      )
    }
    return mix
  }

  private static func shares(_ arguments: Arguments) throws(CommandFailure) -> [Mix.Share: Double] {
    var shares: [Mix.Share: Double] = [:]
    for share in Mix.Share.allCases {
      let given = try arguments.value(share.option, "a share from 0 to 1") { text in
        Double(text).flatMap { (0...1).contains($0) ? $0 : nil }
      }
      if given != nil, arguments.has("--valid-only") {
        throw CommandFailure(.usage, "\(share.option) has no effect with --valid-only; remove one of them")
      }
      shares[share] = given ?? (arguments.has("--valid-only") ? 0 : share.standard)
    }
    // Decimal shares such as 0.7 + 0.2 + 0.1 may add up to a little more than 1.
    guard shares.values.reduce(0, +) <= 1 + 1e-9 else {
      let names = Mix.Share.allCases.map(\.option).joined(separator: ", ")
      throw CommandFailure(.usage, "\(names) add up to more than 1")
    }
    return shares
  }

  private static func editableFields(_ arguments: Arguments) throws(CommandFailure) -> [Field]? {
    let editable = PostbackFormat.allCases.flatMap(\.editableFields)
    var fields: [Field] = []
    for name in arguments.all("--edit") {
      guard let field = Field(name: name), editable.contains(field) else {
        throw CommandFailure(.usage, "--edit is \(name); expected a field that Apple signs, such as source-app-id")
      }
      fields.append(field)
    }
    return fields.isEmpty ? nil : fields
  }

  private static func editKinds(_ arguments: Arguments) throws(CommandFailure) -> [EditKind]? {
    var kinds: [EditKind] = []
    for name in arguments.all("--edit-kind") {
      guard let kind = EditKind(rawValue: name) else {
        let names = EditKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(.usage, "--edit-kind is \(name); expected one of \(names)")
      }
      kinds.append(kind)
    }
    return kinds.isEmpty ? nil : kinds
  }

  static func apps(_ arguments: Arguments) throws(CommandFailure) -> [Int64]? {
    var apps: [Int64] = []
    for text in arguments.all("--app") {
      // Far below the largest integer, because an edit adds to the id.
      guard let app = Int64(text), (1...1_000_000_000_000_000).contains(app) else {
        throw CommandFailure(.usage, "--app is \(text); expected an app id")
      }
      apps.append(app)
    }
    return apps.isEmpty ? nil : apps
  }
}

extension Mix.Share {
  /// The option that sets the share.
  fileprivate var option: String { "--\(rawValue)" }
}

extension Weights {
  /// Reads `a=70,b=20,c`; nil if a name is not a choice or is repeated, a weight is not a number, or all are 0. A
  /// weight that is left out is 1.
  fileprivate init?(_ text: String, _ choice: (String) -> Choice?) {
    var weights: [(Choice, Double)] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = words.first, let choice = choice(String(name)),
        let weight = words.count == 1 ? 1 : Double(String(words[1])), weight >= 0, weight <= 1e9,
        !weights.contains(where: { $0.0 == choice })
      else { return nil }
      weights.append((choice, weight))
    }
    self.init(weights)
    if choices.isEmpty { return nil }
  }
}
