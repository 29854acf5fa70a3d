internal import Base
internal import SKAdNetwork

/// A writer of planned postbacks as lines of JSON, bare or in a receiver's envelope.
struct LineText: Sendable {
  let hasEnvelopes: Bool

  /// The time from which lines are received, 2026-03-01T00:00:00Z, in milliseconds since 1970.
  private static let start: Int64 = 1_772_323_200_000
  private static let millisecondsPerLine: Int64 = 7000

  /// Appends the line and a line feed.
  func append(_ plan: LinePlan, signature: String, to dump: inout [UInt8]) {
    let start = dump.count
    if plan.malformation == .formEncoded {
      appendForm(plan.draft, to: &dump)
    } else if plan.malformation == .scalar {
      dump.append(contentsOf: ["42", "null", "true", "\"postback\""][plan.line % 4].utf8)
    } else {
      appendObject(plan, signature, to: &dump)
      breakLine(plan, from: start, of: &dump, signature)
    }
    dump.append(UInt8(ascii: "\n"))
  }

  /// Applies a malformation of the whole line; does nothing for other lines.
  private func breakLine(_ plan: LinePlan, from start: Int, of dump: inout [UInt8], _ signature: String) {
    switch plan.malformation {
    case .truncatedLine:
      // The cut is inside a string, so that a reader of JSON Lines finds the error at the end of the line.
      let field: Field = plan.draft.format.version == nil ? .jwsString : .attributionSignature
      let key = Array("\"\(field.name)\":".utf8)
      let place = dump.indices.last { dump[$0...].starts(with: key) } ?? start
      dump.removeLast(dump.count - place - key.count - 1 - plan.line % signature.utf8.count)
      while dump.last == UInt8(ascii: "\\") { dump.removeLast() }
    case .twoObjects:
      dump += [UInt8(ascii: ",")] + dump[start...]
    case .trailingComma:
      dump.removeLast()
      dump.append(contentsOf: ",}".utf8)
    case .invalidUTF8:
      dump.removeLast()
      dump.append(contentsOf: ",\"forwarder-note\":\"".utf8)
      dump += [0xC3, 0x28]
      dump.append(contentsOf: "\"}".utf8)
    default: break
    }
  }

  private func appendForm(_ draft: PostbackDraft, to dump: inout [UInt8]) {
    let pairs = draft.members.map { "\($0.field.name)=\($0.value.text)" }
    dump.append(contentsOf: pairs.joined(separator: "&").utf8)
  }

  private func appendObject(_ plan: LinePlan, _ signature: String, to dump: inout [UInt8]) {
    guard hasEnvelopes else { return appendBody(plan, signature, to: &dump) }
    let isForwarded = plan.style.isForwarded
    let head = EnvelopeHead(
      receivedAt: received(plan).description,
      channel: isForwarded ? .networkForwarded : .appleDirect,
      forwarder: isForwarded
        ? plan.arrival?.forwarder ?? Self.forwarders[plan.line % Self.forwarders.count] : nil,
      // RFC 5737: addresses for documentation.
      remoteAddress: "203.0.113.\(plan.line % 254 + 1)"
    )
    head.append(to: &dump, .body) { appendBody(plan, signature, to: &$0) }
  }

  private static let forwarders = ["network-one", "network-two", "measurement-partner"]

  /// Returns the time at which the line is received: that of its arrival, or some seconds after the line before.
  private func received(_ plan: LinePlan) -> Timestamp {
    if let arrival = plan.arrival { return arrival.receivedAt }
    var random = SeededGenerator(seed: 0, line: plan.line, .receipt)
    return Timestamp(
      milliseconds: Self.start + Int64(plan.line) * Self.millisecondsPerLine - random.integer(in: 0...4000)
    )
  }

  private func appendBody(_ plan: LinePlan, _ signature: String, to dump: inout [UInt8]) {
    let format = plan.draft.format
    var members = plan.draft.members.filter { format.version != nil || !format.rules.signs($0.field) }
      .map { (name: $0.field.name, value: $0.value) }
    if format.version == nil {
      members.insert((Field.jwsString.name, .text(signature)), at: 0)
    } else {
      members.append((Field.attributionSignature.name, .text(signature)))
    }
    members += extras(plan)
    if plan.style.isSorted { members.sort { $0.name < $1.name } }
    dump.append(UInt8(ascii: "{"))
    var isFirst = true
    for (name, value) in members {
      dump.appendJSONKey(name, isFirst: isFirst)
      value.append(to: &dump, quoted: plan.style.isQuoted, escapesSlashes: plan.style.escapesSlashes)
      isFirst = false
    }
    dump.append(UInt8(ascii: "}"))
  }

  /// Returns the additional members that a forwarder or a malformation adds.
  private func extras(_ plan: LinePlan) -> [(name: String, value: DraftValue)] {
    var extras = plan.draft.extras + (plan.arrival?.inlineValues ?? [])
    let format = plan.draft.format
    if plan.style.showsNulls {
      let fields = [Field.conversionValue, .coarseConversionValue].filter(format.rules.has)
      for field in fields where plan.draft[field] == nil { extras.append((field.name, .json("null"))) }
    }
    switch plan.style.timestamp {
    case .text: extras.append(("timestamp", .text(received(plan).description)))
    case .milliseconds: extras.append(("timestamp", .json(String(received(plan).milliseconds))))
    case nil: break
    }
    return extras
  }
}
