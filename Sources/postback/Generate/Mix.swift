internal import SKAdNetwork

/// The composition of a dump: the frequency of each kind of line, and the choices for its fields.
struct Mix: Sendable {
  /// The kinds of line that have a share of their own. All other lines are plain valid postbacks.
  enum Share: String, CaseIterable, Sendable {
    case forged, edited, duplicate, malformed
    case zeroFilled = "zero-filled"

    /// The command-line option that sets the share.
    var option: String { "--\(rawValue)" }

    /// The default share, from 0 to 1.
    var standard: Double {
      switch self {
      case .forged, .edited: 0.02
      case .duplicate: 0.05
      case .malformed, .zeroFilled: 0.01
      }
    }
  }

  /// The weights of the forms of postbacks.
  let forms: Weights<PostbackForm>
  /// The weights of the conversion windows, for forms with several.
  let windows: Weights<Int64>
  /// The weights of Apple's postback data tiers, for forms with several windows.
  let tiers: Weights<Int>
  /// The shares of all lines, from 0 to 1; the remaining lines are valid.
  let shares: [Share: Double]
  /// The fields that edits may change.
  let editableFields: [Field]
  /// The kinds of edit that are drawn for edited lines.
  let editKinds: [EditKind]
  let audience: Audience

  /// The SKAdNetwork versions after 1.0, which sign the source app, so that a filled-in zero can be told from a signed
  /// one.
  let zeroFilledForms: Weights<PostbackForm>
  /// The malformations that apply to at least one of the forms.
  let malformations: [Malformation]

  /// Makes a mix.
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

  /// Draws the share of a line; nil for a plain valid postback.
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
