internal import SKAdNetwork
internal import SyntheticTraffic

/// The command-line options that determine the composition of a dump.
struct MixOptions: OptionGroup {
  private let formats = Option(
    "--versions LIST",
    "Weights of the versions; aak is AdAttributionKit. The default is\n4.0=70,3.0=8,2.2=5,2.1=4,2.0=1,1.0=1,aak=11."
  ).value("weights of 1.0 to 4.0 and aak, such as 4.0=9,aak=1") { text in
    Weights(text) { PostbackFormat(name: $0) }
  }
  /// The weights of the conversion windows.
  let windows = Option("--windows LIST", "Weights of the conversion windows of 4.0 and aak; default 0=70,1=20,2=10.")
    .value("weights of 0 to 2, such as 0=7,1=2,2=1") { text in
      Weights(text) { name in Int64(name).flatMap { Field.postbackSequenceIndex.range.contains($0) ? $0 : nil } }
    }
  private let tiers = Option(
    "--tiers LIST",
    "Weights of Apple's data tiers in 4.0 and aak; default 0=10,1=25,2=35,3=30."
  ).value("weights of 0 to 3, such as 2=1,3=1") { text in
    Weights(text) { name in Int(name).flatMap { (0...3).contains($0) ? $0 : nil } }
  }
  /// The ids of the advertised apps: far below the largest integer, because an edit adds to an id.
  let apps = Option("--app ID", "The id of an advertised app; may be repeated. The default is four apps.")
    .values("an App Store id") { Int64($0).flatMap { (1...1_000_000_000_000_000).contains($0) ? $0 : nil } }
  private let forged = Self.share(.forged, "Share of lines, from 0 to 1, with an invented signature; default 0.02.")
  private let edited = Self.share(.edited, "Share of lines with a signed field changed after signing; default 0.02.")
  private let fields = Option(
    "--edit FIELD",
    "The field that edits change; may be repeated. The default is any signed field."
  ).values("a field that Apple signs, such as source-app-id") { name in
    let editable = PostbackFormat.allCases.flatMap(\.editableFields)
    return Field(name: name).flatMap { editable.contains($0) ? $0 : nil }
  }
  private let kinds = Option(
    "--edit-kind KIND",
    "How lines are edited: value, pair, letter-case, white-space, percent-encoding,\nswap, signature. May be repeated; the default is value."
  ).values(ValueKind<EditKind>.word)
  private let duplicate = Self.share(
    .duplicate,
    "Share of lines that copy an accepted one of the last few thousand; default 0.05."
  )
  private let malformed = Self.share(
    .malformed,
    "Share of lines that are not a well-formed postback; default 0.01."
  )
  private let zeroFilled = Self.share(
    .zeroFilled,
    "Share of lines with a source-app-id of 0 added after signing; default 0.01."
  )
  private let isValidOnly = Option("--valid-only", "Set all these shares to 0.").isGiven

  private static func share(_ share: Mix.Share, _ help: String) -> Double? {
    Option("\(share.option) SHARE", help).value(.share)
  }

  /// Returns the mix that the options describe. Without `--app` the advertised apps are `standardApps`.
  func mix(standardApps: [Int64]) throws -> Mix {
    let mix = Mix(
      formats: formats,
      windows: windows,
      tiers: tiers,
      shares: try shares(),
      editableFields: fields.isEmpty ? nil : fields,
      editKinds: kinds.isEmpty ? nil : kinds,
      apps: apps.isEmpty ? standardApps : apps
    )
    for field in fields {
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

  private func shares() throws -> [Mix.Share: Double] {
    let given: [(share: Mix.Share, value: Double?)] = [
      (.forged, forged), (.edited, edited), (.duplicate, duplicate), (.malformed, malformed), (.zeroFilled, zeroFilled),
    ]
    var shares: [Mix.Share: Double] = [:]
    for (share, value) in given {
      if value != nil, isValidOnly {
        throw CommandFailure(.usage, "\(share.option) has no effect with --valid-only; remove one of them")
      }
      shares[share] = value ?? (isValidOnly ? 0 : share.standard)
    }
    // Decimal shares such as 0.7 + 0.2 + 0.1 may add up to a little more than 1.
    guard shares.values.reduce(0, +) <= 1 + 1e-9 else {
      let names = Mix.Share.allCases.map(\.option).joined(separator: ", ")
      throw CommandFailure(.usage, "\(names) add up to more than 1")
    }
    return shares
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
