internal import Base
internal import SKAdNetwork

/// A planner that decides the content of each line of a dump.
///
/// A line's plan depends only on the seed and the line's number, so that lines can be planned in any order and in
/// parallel.
struct LinePlanner: Sendable {
  let mix: Mix
  let seed: UInt64
  private let audience: Audience

  /// The greatest distance in lines from which the search for a duplicate's first copy starts, and the greatest length
  /// of that search.
  private static let reach = 4000

  init(mix: Mix, seed: UInt64) {
    self.mix = mix
    self.seed = seed
    audience = Audience(apps: mix.apps, seed: seed)
  }

  /// Returns the plan of a line. The first line is 1.
  func plan(_ line: Int) -> LinePlan {
    var random = SeededGenerator(seed: seed, line: line, .postback)
    return switch share(of: line) {
    case nil: valid(line, mix.formats, &random)
    case .zeroFilled: zeroFilled(line, &random)
    case .forged: forged(line, &random)
    case .edited: edited(line, &random)
    case .malformed: malformed(line, &random)
    case .duplicate: duplicate(line, &random)
    }
  }

  /// Draws the kind of a line; nil for a plain valid postback.
  func share(of line: Int) -> Mix.Share? {
    var random = SeededGenerator(seed: seed, line: line, .kind)
    return mix.share(&random)
  }

  private func valid(
    _ line: Int,
    _ formats: Weights<PostbackFormat>,
    _ random: inout SeededGenerator
  ) -> LinePlan {
    let draft = mix.draft(formats.pick(&random), audience, &random)
    return LinePlan(line: line, draft, ForwardingStyle(&random))
  }

  /// Plans a postback without a source app, to which a forwarder added a zero or an empty text for an absent field.
  private func zeroFilled(_ line: Int, _ random: inout SeededGenerator) -> LinePlan {
    var plan = valid(line, mix.zeroFilledFormats, &random)
    fillZeros(of: &plan, &random)
    return plan
  }

  /// Changes a valid postback of SKAdNetwork 2 or later to one without a source app, to which a forwarder added zeros.
  func fillZeros(of plan: inout LinePlan, _ random: inout SeededGenerator) {
    plan.kind = .zeroFilled
    plan.signed[.sourceAppID] = nil
    plan.draft[.sourceAppID] = nil
    plan.style.isForwarded = true
    let isWeb = plan.draft[.sourceDomain] != nil
    if plan.draft.format == .skAdNetwork(.v4_0), !isWeb, random.chance(ofHundred: 30) {
      plan.change = plan.draft.change(.sourceDomain, to: .text(""))
    } else {
      plan.change = plan.draft.change(.sourceAppID, to: .integer(0))
    }
    // An absent conversion value becomes a 0 too, in a postback that may have one.
    let draft = plan.draft
    let isFirstWindow = !draft.format.hasWindows || draft[.postbackSequenceIndex] == .integer(0)
    if draft.isWin, isFirstWindow, draft[.conversionValue] == nil, draft[.coarseConversionValue] == nil {
      plan.draft[.conversionValue] = .integer(0)
    }
  }

  /// Plans a postback that the trusted key never signed, in one of the common kinds of forgery.
  private func forged(_ line: Int, _ random: inout SeededGenerator) -> LinePlan {
    var plan = valid(line, mix.formats, &random)
    plan.kind = .forged
    switch random.below(plan.draft.format == .adAttributionKit ? 5 : 3) {
    case 0: plan.signer = .nobody
    case 1: plan.signer = .impostor
    case 2:
      // The signature of another postback.
      plan.signed = mix.draft(plan.draft.format, audience, &random)
    default:
      plan.signer = .impostor
      plan.keyID = random.pick(["apple-cas-identifier/9", "generated-unknown"])
      plan.change = FieldChange(field: .keyID, original: GeneratedKeys.p256Name, edited: plan.keyID)
    }
    return plan
  }

  private func edited(_ line: Int, _ random: inout SeededGenerator) -> LinePlan {
    // A single kind draws no number, so that dumps with the standard kind keep their bytes when kinds are added.
    let kind = mix.editKinds.count == 1 ? mix.editKinds[0] : random.pick(mix.editKinds)
    let formats = mix.formats.filter { kind.applies(to: $0, among: mix.editableFields) }
    var plan = valid(line, formats, &random)
    plan.kind = .edited
    plan.edit(kind, among: mix.editableFields, &random)
    return plan
  }

  private func malformed(_ line: Int, _ random: inout SeededGenerator) -> LinePlan {
    let malformation = random.pick(mix.malformations)
    var plan = valid(line, mix.formats.filter(malformation.applies(to:)), &random)
    (plan.kind, plan.malformation) = (.malformed, malformation)
    plan.change = malformation.apply(to: &plan.draft, &random)
    return plan
  }

  /// Plans another copy of an accepted postback; a valid postback if there is none to copy.
  private func duplicate(_ line: Int, _ random: inout SeededGenerator) -> LinePlan {
    guard let original = original(before: line, &random) else { return valid(line, mix.formats, &random) }
    let first = plan(original)
    // A retry by Apple has the same bytes; a copy that came through another channel has others.
    var style = random.chance(ofHundred: 50) ? first.style : ForwardingStyle(&random)
    if first.kind == .zeroFilled { style.isForwarded = true }
    var plan = LinePlan(line: line, first.draft, style)
    plan.signed = first.signed
    plan.originalLine = original
    switch random.below(10) {
    case 0..<6: plan.kind = .duplicateIdentical
    case 6..<8:
      plan.kind = .duplicateConflict
      plan.change = plan.draft.editUnsigned(&random)
    default: plan.reuseTransaction(&random)
    }
    return plan
  }

  /// Plans another copy of a line of campaign traffic through the same channel: a retry, or, in one of four cases, a
  /// postback of another app with the same transaction.
  func repeated(
    _ first: LinePlan,
    line: Int,
    at time: Timestamp,
    _ random: inout SeededGenerator
  ) -> LinePlan {
    var plan = LinePlan(line: line, first.draft, first.style)
    plan.signed = first.signed
    plan.originalLine = first.line
    plan.arrival = first.arrival
    plan.arrival?.receivedAt = time
    plan.kind = .duplicateIdentical
    if random.chance(ofHundred: 25) { plan.reuseTransaction(&random) }
    return plan
  }

  /// Returns an earlier line that is accepted and is the first of its transaction; nil if the search finds none.
  private func original(before line: Int, _ random: inout SeededGenerator) -> Int? {
    guard line > 1 else { return nil }
    var candidate = line - 1 - random.below(min(line - 1, Self.reach))
    let end = max(candidate - Self.reach, 0)
    while candidate > end {
      switch share(of: candidate) {
      case nil, .zeroFilled: return candidate
      case .forged, .edited, .duplicate, .malformed: candidate -= 1
      }
    }
    return nil
  }
}

extension LinePlan {
  /// Changes the copy of a postback to one of another app, which is signed, with the same transaction.
  fileprivate mutating func reuseTransaction(_ random: inout SeededGenerator) {
    kind = .duplicateTransaction
    change = draft.edit(draft.format.app, &random)
    signed[draft.format.app] = draft[draft.format.app]
  }
}
