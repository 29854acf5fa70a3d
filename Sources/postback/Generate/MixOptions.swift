internal import SKAdNetwork

/// The command-line options that determine the composition of a dump.
enum MixOptions {
  static let options =
    [
      Option(
        "--versions",
        "LIST",
        "Weights of the versions, aak being AdAttributionKit; unless given\n4.0=70,3.0=8,2.2=5,2.1=4,2.0=1,1.0=1,aak=11."
      ),
      Option("--windows", "LIST", "Weights of the conversion windows of 4.0 and aak; 0=70,1=20,2=10 unless given."),
      Option("--tiers", "LIST", "Weights of Apple's data tiers in 4.0 and aak; 0=10,1=25,2=35,3=30 unless given."),
      Option("--app", "ID", "An advertised app. May be repeated; unless given, four apps."),
      Option("--forged", "SHARE", "Lines, of 1, with an invented signature; 0.02 unless given."),
      Option("--edited", "SHARE", "Lines with a signed field changed after signing; 0.02 unless given."),
      Option("--edit", "FIELD", "Change this field of edited lines. May be repeated; all signed ones unless given."),
      Option(
        "--edit-kind",
        "KIND",
        "How lines are edited: value, pair, letter-case, white-space, percent-encoding,\nswap, signature. May be repeated; value unless given."
      ),
      Option("--duplicate", "SHARE", "Lines that copy an accepted one of the last few thousand; 0.05 unless given."),
      Option("--malformed", "SHARE", "Lines that are no postback; 0.01 unless given."),
      Option("--zero-filled", "SHARE", "Lines with a source-app-id of 0 added after signing; 0.01 unless given."),
      Option("--valid-only", nil, "All these shares are 0."),
    ]

  /// Returns the mix that the options describe.
  static func mix(_ arguments: Arguments, seed: UInt64) throws(CommandFailure) -> Mix {
    let forms = try arguments.value("--versions", "weights of 1.0 to 4.0 and aak, such as 4.0=9,aak=1") { text in
      Weights(text) { PostbackForm(name: $0) }
    }
    let windows = try arguments.value("--windows", "weights of 0 to 2, such as 0=7,1=2,2=1") { text in
      Weights(text) { name in Int64(name).flatMap { (0...2).contains($0) ? $0 : nil } }
    }
    let tiers = try arguments.value("--tiers", "weights of 0 to 3, such as 2=1,3=1") { text in
      Weights(text) { name in Int(name).flatMap { (0...3).contains($0) ? $0 : nil } }
    }
    let mix = Mix(
      forms: forms ?? Weights(standardForms),
      windows: windows ?? Weights([(0, 70), (1, 20), (2, 10)]),
      tiers: tiers ?? Weights([(0, 10), (1, 25), (2, 35), (3, 30)]),
      shares: try shares(arguments),
      editableFields: try editableFields(arguments),
      editKinds: try editKinds(arguments),
      audience: Audience(apps: try apps(arguments), seed: seed)
    )
    for field in mix.editableFields where arguments.has("--edit") {
      guard mix.forms.choices.contains(where: { $0.editableFields.contains(field) }) else {
        throw CommandFailure(.usage, "--edit is \(field.name), which no version in --versions signs")
      }
    }
    for kind in mix.editKinds
    where !mix.forms.choices.contains(where: { kind.applies(to: $0, among: mix.editableFields) }) {
      throw CommandFailure(
        .usage,
        "--edit-kind is \(kind.rawValue), for which no version in --versions signs the fields"
      )
    }
    return mix
  }

  private static var standardForms: [(PostbackForm, Double)] {
    [
      (.skAdNetwork(.v4_0), 70), (.skAdNetwork(.v3_0), 8), (.skAdNetwork(.v2_2), 5), (.skAdNetwork(.v2_1), 4),
      (.skAdNetwork(.v2_0), 1), (.skAdNetwork(.v1_0), 1), (.adAttributionKit, 11),
    ]
  }

  private static func shares(_ arguments: Arguments) throws(CommandFailure) -> [Mix.Share: Double] {
    var shares: [Mix.Share: Double] = [:]
    for share in Mix.Share.allCases {
      let given = try arguments.value(share.option, "a share from 0 to 1") { text in
        Double(text).flatMap { (0...1).contains($0) ? $0 : nil }
      }
      if given != nil, arguments.has("--valid-only") {
        throw CommandFailure(.usage, "\(share.option) is of no use with --valid-only")
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

  private static func editableFields(_ arguments: Arguments) throws(CommandFailure) -> [Field] {
    let editable = PostbackForm.all.flatMap(\.editableFields)
    var fields: [Field] = []
    for name in arguments.all("--edit") {
      guard let field = Field(name: name), editable.contains(field) else {
        throw CommandFailure(.usage, "--edit is \(name); expected a field that Apple signs, such as source-app-id")
      }
      fields.append(field)
    }
    return fields.isEmpty ? editable : fields
  }

  private static func editKinds(_ arguments: Arguments) throws(CommandFailure) -> [EditKind] {
    var kinds: [EditKind] = []
    for name in arguments.all("--edit-kind") {
      guard let kind = EditKind(rawValue: name) else {
        let names = EditKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(.usage, "--edit-kind is \(name); expected one of \(names)")
      }
      kinds.append(kind)
    }
    return kinds.isEmpty ? [.value] : kinds
  }

  private static func apps(_ arguments: Arguments) throws(CommandFailure) -> [Int64] {
    var apps: [Int64] = []
    for text in arguments.all("--app") {
      // Below the largest, so that an edit finds a larger one.
      guard let app = Int64(text), (1...1_000_000_000_000_000).contains(app) else {
        throw CommandFailure(.usage, "--app is \(text); expected an app id")
      }
      apps.append(app)
    }
    return apps.isEmpty ? [525_463_029, 1_176_027_022, 1_661_087_323, 10_738_027_756] : apps
  }
}
