internal import SKAdNetwork

/// What a dump is made of: how often each kind of line comes, and what about.
struct Mix: Sendable {
  /// A share of the lines that are not plain valid postbacks.
  enum Share: String, CaseIterable, Sendable {
    case forged, edited, duplicate, malformed
    case zeroFilled = "zero-filled"

    /// The option that sets it.
    var option: String { "--\(rawValue)" }

    /// The share where nothing else is said.
    var standard: Double {
      switch self {
      case .forged, .edited: 0.02
      case .duplicate: 0.05
      case .malformed, .zeroFilled: 0.01
      }
    }
  }

  /// The forms of postbacks.
  let forms: Weights<PostbackForm>
  /// The conversion windows, where the form has several.
  let windows: Weights<Int64>
  /// Apple's postback data tiers, where the form has several windows.
  let tiers: Weights<Int>
  /// How many of all lines; the others are valid.
  let shares: [Share: Double]
  /// The fields that edited postbacks may have edited.
  let editableFields: [Field]
  /// How edited postbacks may be edited.
  let editKinds: [EditKind]
  let audience: Audience

  /// The forms in which a zero for an absent source app can be told from a signed one.
  let zeroFilledForms: Weights<PostbackForm>
  /// What malformed lines may be.
  let malformations: [Malformation]

  /// A mix.
  init(
    forms: Weights<PostbackForm>,
    windows: Weights<Int64>,
    tiers: Weights<Int>,
    shares: [Share: Double],
    editableFields: [Field],
    editKinds: [EditKind],
    audience: Audience
  ) {
    self.forms = forms
    self.windows = windows
    self.tiers = tiers
    self.shares = shares
    self.editableFields = editableFields
    self.audience = audience
    self.editKinds = editKinds
    zeroFilledForms = forms.filter { form in form.version.map { $0 > .v1_0 } ?? false }
    malformations = Malformation.allCases.filter { malformation in
      forms.choices.contains(where: malformation.applies(to:))
    }
  }

  /// The share into which a line falls; nil for a plain valid postback.
  func share(_ random: inout SeededGenerator) -> Share? {
    let place = random.fraction()
    var sum = 0.0
    for share in Share.allCases {
      sum += shares[share] ?? 0
      // A mix without SKAdNetwork 2.0 and later has nothing that a zero could stand for.
      if place < sum { return share == .zeroFilled && zeroFilledForms.choices.isEmpty ? nil : share }
    }
    return nil
  }
}
