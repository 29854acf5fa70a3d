internal import Base
public import JSON

/// Parses postbacks, bare or in an envelope, one after the other.
///
/// Checks the fields that each version requires. A refused text is a `PostbackDefect`; an accepted one is well formed,
/// but not verified.
public struct PostbackParser: ~Copyable {
  /// The claims of the last text, also where it was refused.
  public private(set) var claims = Claims()
  /// The postback in the last text: all of it, or the body of an envelope.
  public private(set) var body = 0..<0
  /// The envelope of the last text, if it had a valid one.
  public private(set) var envelope: Envelope?
  /// Indicates that the last text had an envelope around the postback.
  package private(set) var isUnwrapped = false
  /// The value of the key named `receivedAtField` in the last text.
  public private(set) var receivedAtField = JSONField.absent

  private var parser: JSONParser
  private var outer = JSONDocument()
  private var inner = JSONDocument()
  private var payload = JSONDocument()
  private let receivedAtIndex: Int?
  private let receivedAtName: String
  private var scratch: [UInt8] = []
  private let dropsPersonalMembers: Bool
  /// The query that belongs to a postback without an envelope.
  private var looseQuery: ByteRange?

  /// A parser that also looks for the key `receivedAtField`, which some forwarders add. With `dropsPersonalMembers` it leaves
  /// members out of the extras whose names say that they are about a person or a device.
  public init(receivedAtField: String? = nil, dropsPersonalMembers: Bool = false) {
    self.dropsPersonalMembers = dropsPersonalMembers
    var names = Field.allCases.map(\.name)
    receivedAtName = receivedAtField ?? ""
    receivedAtIndex = receivedAtField.map { names.firstIndex(of: $0) ?? names.count }
    if receivedAtIndex == names.count { names.append(receivedAtName) }
    parser = JSONParser(names: names)
  }

  /// Parses the text in the range `text` of `bytes`, after which at least `JSONParser.padding` more bytes must follow.
  ///
  /// Appends to `bytes` the texts that it does not hold yet: unescaped strings, the decoded parts of a JWS, the
  /// extras. The ranges in the postback are ranges of `bytes`. `query` is the query of the request, for a postback whose envelope
  /// was removed.
  public mutating func parse(
    _ text: Range<Int>,
    of bytes: inout [UInt8],
    query: ByteRange? = nil
  ) throws(PostbackDefect) -> Postback {
    claims = Claims()
    (envelope, body, isUnwrapped, looseQuery) = (nil, text, false, query)
    receivedAtField = .absent
    let copy = bytes.count
    try parseOuter(text, of: &bytes)
    if let body = try envelopeBody(of: &bytes) {
      // The envelope is read before the body replaces it in the document. Its error is thrown afterwards, so that the
      // reject row has the body's claims.
      let opened = Result { () throws(PostbackDefect) in try Envelope(outer, bytes) }
      envelope = try? opened.get()
      // Where surrogates were replaced, the document is a copy of the same length.
      let isCopy = outer.hasReplacedSurrogates && outer.fields[Field.body.rawValue].kind != .absent
      let start = isCopy ? body.lowerBound - copy + text.lowerBound : body.lowerBound
      (self.body, isUnwrapped) = (start..<start + body.count, true)
      try parseOuter(body, of: &bytes, hasReplacedSurrogates: outer.hasReplacedSurrogates)
      claims.read(outer)
      _ = try opened.get()
    }
    claims.read(outer)
    if let receivedAtIndex { receivedAtField = outer.fields[receivedAtIndex] }
    switch outer.fields[Field.jwsString.rawValue].kind {
    case .absent, .null: return try readSKAdNetwork(&bytes)
    default: return try readAdAttributionKit(&bytes)
    }
  }

  /// Parses a postback or an envelope; `hasReplacedSurrogates` is true where the text comes from a document in which
  /// surrogates were replaced.
  private mutating func parseOuter(
    _ text: Range<Int>,
    of bytes: inout [UInt8],
    hasReplacedSurrogates: Bool = false
  ) throws(PostbackDefect) {
    do {
      try parser.parse(text, of: &bytes, into: &outer, replacingLoneSurrogates: true)
    } catch {
      throw PostbackDefect(json: error)
    }
    if hasReplacedSurrogates { outer.hasReplacedSurrogates = true }
    guard outer.root.kind == .object else { throw PostbackDefect(.notAnObject) }
  }

  /// Returns the body if the document is an envelope: it has a `body` or a `body_base64`, and only keys of envelopes.
  /// Base64 is decoded to the end of `bytes`.
  private mutating func envelopeBody(of bytes: inout [UInt8]) throws(PostbackDefect) -> Range<Int>? {
    let body = outer.fields[Field.body.rawValue]
    let encoded = outer.fields[Field.bodyBase64.rawValue]
    guard body.kind != .absent || encoded.kind != .absent, outer.members.isEmpty else { return nil }
    for (index, value) in outer.fields.enumerated() where value.kind != .absent {
      guard let field = Field(rawValue: index), Envelope.fields.contains(field) else { return nil }
    }
    guard encoded.kind == .absent else {
      guard body.kind == .absent else {
        throw PostbackDefect(.outOfRange, .bodyBase64, expected: "no body_base64 beside a body", found: encoded)
      }
      return try decode(encoded, to: &bytes)
    }
    guard body.kind == .object else {
      throw PostbackDefect(.wrongType, .body, expected: "an object, the postback", found: body)
    }
    return body.text.indices
  }

  /// Decodes a `body_base64`, the form for bytes that a receiver could not put into JSON as they were.
  private mutating func decode(_ body: JSONField, to bytes: inout [UInt8]) throws(PostbackDefect) -> Range<Int> {
    guard body.kind == .string else {
      throw PostbackDefect(.wrongType, .bodyBase64, expected: "a string, the bytes in base64", found: body)
    }
    scratch.removeAll(keepingCapacity: true)
    guard Base64.standard.decode(bytes.span.extracting(body.text.indices), appendingTo: &scratch) else {
      throw PostbackDefect(.outOfRange, .bodyBase64, expected: "base64 (RFC 4648, section 4)", found: body)
    }
    return appendPadded(scratch, to: &bytes)
  }

  /// Appends a text to be parsed, with padding, and returns its range.
  private func appendPadded(_ text: [UInt8], to bytes: inout [UInt8]) -> Range<Int> {
    let start = bytes.count
    bytes += text
    bytes.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    return start..<start + text.count
  }

  private mutating func readSKAdNetwork(_ bytes: inout [UInt8]) throws(PostbackDefect) -> Postback {
    var postback: Postback
    let taken: FieldSet
    do {
      // The reader shares the bytes, which would be copied if they grew while it is there.
      var reader = FieldReader(outer, of: bytes, covered: .all)
      postback = Postback(.skAdNetwork(try Version(&reader)))
      try postback.readSKAdNetwork(with: &reader)
      taken = reader.taken
    }
    postback.undoEncodingOfSignature(in: &bytes)
    postback.extras = extras(except: taken, to: &bytes)
    if postback.sourceAppID == 0, (postback.sourceDomain?.count ?? 0) > 0 {
      var others = taken
      others.remove(.sourceDomain)
      postback.extrasWithSourceDomain = extras(except: others, to: &bytes)
    }
    return postback
  }

  /// Appends the members of a SKAdNetwork postback that were not read, and the parameters of the query, as a JSON
  /// object; nil where there are none.
  private mutating func extras(except taken: FieldSet, to bytes: inout [UInt8]) -> ByteRange? {
    scratch.removeAll(keepingCapacity: true)
    appendExtras(of: outer, except: taken, bytes)
    appendQuery(bytes)
    return appendScratch(to: &bytes)
  }

  private mutating func readAdAttributionKit(_ bytes: inout [UInt8]) throws(PostbackDefect) -> Postback {
    let parts = try JWSParts(of: outer, &bytes)
    try decode(parts.payload, of: parts, &bytes)
    claims.read(inner)
    swap(&inner, &payload)
    try decode(parts.header, of: parts, &bytes)
    let keyID = try CompactJWS.keyID(inner, bytes)
    var postback = Postback(.adAttributionKit)
    if parts.isCoerced { postback.coercedFields.insert(.jwsString) }
    postback.signature = .jws(
      CompactJWS(signingInput: parts.signingInput, signature: parts.signature, keyID: keyID)
    )
    let rules = postback.format.rules
    let taken = try postback.read(rules.signed, of: payload, bytes)
    let takenBeside = try postback.read(rules.unsigned, of: outer, bytes)
    if let type = postback.conversionType, bytes[type.indices].elementsEqual(Postback.otherReengagement.utf8) {
      // The signed bytes are those of the JWS, which stay as they were sent.
      postback.conversionType = ByteRange(start: bytes.count, count: Postback.reengagement.utf8.count)
      bytes += Postback.reengagement.utf8
    }

    scratch.removeAll(keepingCapacity: true)
    appendExtras(of: payload, except: taken, bytes)
    let payloadExtras = scratch
    scratch.removeAll(keepingCapacity: true)
    appendExtras(of: outer, except: takenBeside, bytes)
    if !payloadExtras.isEmpty {
      beginExtra()
      // No key beside the JWS can have this name, so no unsigned value passes as one that Apple signed.
      scratch.appendJSONString(Field.jwsString.name)
      scratch.append(UInt8(ascii: ":"))
      scratch += payloadExtras
      scratch.append(UInt8(ascii: "}"))
    }
    appendQuery(bytes)
    postback.extras = appendScratch(to: &bytes)
    return postback
  }

  /// Decodes a part of the JWS and parses it into `inner`.
  private mutating func decode(
    _ part: ByteRange,
    of parts: JWSParts,
    _ bytes: inout [UInt8]
  ) throws(PostbackDefect) {
    scratch.removeAll(keepingCapacity: true)
    guard Base64.url.decode(bytes.span.extracting(part.indices), appendingTo: &scratch) else {
      throw parts.malformed("base64url")
    }
    let decoded = appendPadded(scratch, to: &bytes)
    do {
      try parser.parse(decoded, of: &bytes, into: &inner)
    } catch {
      throw parts.malformed(Self.expectation(after: error))
    }
    guard inner.root.kind == .object else { throw parts.malformed("a header and a payload that are JSON objects") }
  }

  private static func expectation(after defect: JSONDefect) -> String {
    switch defect {
    case .notJSON, .invalidUTF8: "a header and a payload that are JSON"
    case .tooDeep: "a header and a payload that are not nested too deep"
    case .duplicateKey(let key): "a header and a payload in which no key is there twice, as \(key) is"
    }
  }

  /// Adds the members that were not read to the extras in `scratch`; leaves the object open.
  private mutating func appendExtras(of document: JSONDocument, except taken: FieldSet, _ bytes: [UInt8]) {
    for (index, value) in document.fields.enumerated() where value.kind != .absent {
      guard let field = Field(rawValue: index) else {
        appendExtra(receivedAtName, value, bytes)
        continue
      }
      if taken.contains(field) || dropsPersonalMembers && field == .remoteAddress { continue }
      appendExtra(field.name, value, bytes)
    }
    for member in document.members {
      if dropsPersonalMembers, PersonalMember.contains(bytes[member.key.text.indices]) { continue }
      beginExtra()
      scratch.appendJSONString(bytes[member.key.text.indices])
      appendExtra(value: member.value, bytes)
    }
  }

  private mutating func appendExtra(_ name: String, _ value: JSONField, _ bytes: [UInt8]) {
    beginExtra()
    scratch.appendJSONString(name)
    appendExtra(value: value, bytes)
  }

  /// Adds the parameters of the envelope's query to the extras. If the postback has a key of the same name, the
  /// parameter's name gets the prefix `query.` once more.
  private mutating func appendQuery(_ bytes: [UInt8]) {
    guard let range = envelope?.query ?? looseQuery else { return }
    let query =
      dropsPersonalMembers ? PersonalMember.removed(fromQuery: bytes[range.indices]) : Array(bytes[range.indices])
    guard !query.isEmpty else { return }
    var names = Set(outer.members.map { String(decoding: bytes[$0.key.text.indices], as: UTF8.self) })
    names.insert(receivedAtName)
    for parameter in QueryParameter.all(in: query[...]) {
      var name = parameter.name
      while !names.insert(name).inserted { name = QueryParameter.prefix + name }
      beginExtra()
      scratch.appendJSONString(name)
      scratch.append(UInt8(ascii: ":"))
      parameter.appendValues(to: &scratch)
    }
  }

  private mutating func beginExtra() { scratch.append(UInt8(ascii: scratch.isEmpty ? "{" : ",")) }

  private mutating func appendExtra(value: JSONField, _ bytes: [UInt8]) {
    scratch.append(UInt8(ascii: ":"))
    if value.kind == .string {
      scratch.appendJSONString(bytes[value.text.indices])
    } else {
      scratch.appendPortableJSON(bytes[value.text.indices])
    }
  }

  /// Closes the object in `scratch`, if there is one, and moves it to the buffer.
  private mutating func appendScratch(to bytes: inout [UInt8]) -> ByteRange? {
    guard !scratch.isEmpty else { return nil }
    scratch.append(UInt8(ascii: "}"))
    let range = ByteRange(start: bytes.count, count: scratch.count)
    bytes += scratch
    return range
  }
}
