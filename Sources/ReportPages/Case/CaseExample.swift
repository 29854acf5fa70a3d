internal import Answers
internal import Base
internal import JSON
internal import PostbackVerification
internal import SKAdNetwork
internal import Signatures
internal import Tables

/// A record of a case with everything that is needed to verify it without this program.
struct CaseExample {
  /// The number of the example in the case, from 1.
  let number: Int
  /// The reject code; nil if the record was accepted.
  let code: String?
  /// The row of the table, without the record's bytes and without nulls.
  let row: [JSONValue.Member]
  /// The record as it was received; nil for an accepted postback of tables without them.
  let record: [UInt8]?
  /// The contents that the signature may be of, with the keys to verify them with.
  private(set) var contents: [Content] = []
  /// The signature as it is in the record, decoded: ECDSA-Sig-Value in DER, or r and s of a JWS; nil if there is none.
  private(set) var signature: (bytes: [UInt8], form: SignatureForm)?
  /// The reason for which there is nothing to verify, or less than expected; nil if there is none.
  private(set) var note: String?

  /// The bytes that a signature may be of.
  struct Content {
    /// The bytes.
    let message: [UInt8]
    /// The keys that may have signed them, with the verdict on each.
    let checks: [(key: CaseKeys.Entry, isSigner: Bool)]
  }

  /// The maximum length of a record, or of a signed text, whose bytes are in commands.
  private static let longest = 64 << 10

  /// Reads a row, and verifies the signature of its record.
  init(
    _ line: [UInt8],
    code: String?,
    number: Int,
    _ keys: inout CaseKeys,
    _ mask: CaseMask
  ) throws(LibcryptoFailure) {
    let row = (try? JSONValue(parsing: line)) ?? .null
    self.number = number
    self.code = code
    self.row = mask.row((row.members ?? []).filter { !RejectedRow.bodies.contains($0.key) && $0.value != .null })
    record = row.rawBody
    if code == RejectCode.tooLarge.rawValue {
      note = "The tables have the first bytes of this record only, so that their SHA-256 is another one."
    } else if let record {
      try verify(record, wasSigned: code == nil || code.flatMap(RejectCode.init)?.followsVerification == true, &keys)
    } else {
      note = "The tables do not have the bytes of this postback. Runs with --keep-raw keep them."
    }
  }

  /// Verifies the signature of a record. `wasSigned` indicates that the run found a key that signed it.
  private mutating func verify(
    _ record: [UInt8],
    wasSigned: Bool,
    _ keys: inout CaseKeys
  ) throws(LibcryptoFailure) {
    var parser = PostbackParser()
    var bytes = record + [UInt8](repeating: 0, count: JSONParser.padding)
    guard let postback = try? parser.parse(0..<record.count, of: &bytes) else {
      note = "The record is not a well-formed postback, so that no bytes of it can be signed."
      return
    }
    var verifier = try SignatureVerifier(keys.trust)
    let verification = try verifier.verify(postback, of: bytes)
    var decoded: [UInt8] = []
    var candidates: [Int]
    let form: SignatureForm
    let isDecoded: Bool
    switch postback.signature {
    case .attribution(let text):
      form = .der
      isDecoded = Base64.standard.decode(bytes.span.extracting(text.indices), appendingTo: &decoded)
      candidates = postback.version.map(keys.trust.keys) ?? []
    case .jws(let jws):
      form = .raw
      isDecoded = Base64.url.decode(bytes.span.extracting(jws.signature.indices), appendingTo: &decoded)
      candidates = verification.key.map { [$0] } ?? []
      if candidates.isEmpty {
        note = "The record names a key that is not trusted, so that there is no key to verify it with."
      }
    }
    guard isDecoded, verification.state != .malformed else {
      note = "The signature of the record is not well-formed, so that no key can have made it."
      return
    }
    guard wasSigned == false || verification.signer != nil else {
      note = "The run trusted a key that is not trusted here. Give its --trust-key and --allow-development options."
      return
    }
    // OpenSSL answers an error where a signature is too long for the curve of the key.
    let keysTrusted = keys.trust.keys
    let fitting = candidates.filter { index in
      var raw: [UInt8] = []
      return form.appendRaw(decoded.span, on: keysTrusted[index].key.curve, to: &raw) == nil
    }
    if fitting.isEmpty, !candidates.isEmpty {
      note = "The signature is not one that a key of this version can make: its numbers are too large for the curve."
    }
    candidates = fitting
    signature = (decoded, form)
    var layouts = postback.layouts
    if let signer = verification.signer { (candidates, layouts) = ([signer], [verification.layout]) }
    contents = layouts.map { layout in
      var message: [UInt8] = []
      postback.appendSignedMessage(layout, of: bytes, to: &message)
      return Content(
        message: message,
        checks: candidates.map { (keys.entry($0), $0 == verification.signer) }
      )
    }
  }
}

extension RejectCode {
  /// Indicates that a trusted key has signed the records with this code.
  fileprivate var followsVerification: Bool { stage == .dedup || stage == .policy }
}

// MARK: - Commands

extension CaseExample {
  /// A command by which a shell with OpenSSL verifies the example, with the expected output.
  struct Check {
    let key: CaseKeys.Entry
    let command: String
    let isSigner: Bool

    /// The output of `openssl dgst -verify`.
    var answer: String { isSigner ? "Verified OK" : "Verification failure" }
  }

  /// The commands that write the record to a file and print its SHA-256; empty if it is too long, or unknown.
  var recordCommands: [String] {
    guard let record, record.count <= Self.longest, code != RejectCode.tooLarge.rawValue else { return [] }
    return [
      "\(ShellText.decode(record)) > record-\(number).txt", "openssl dgst -sha256 -r record-\(number).txt",
    ]
  }

  /// The commands that write the signed texts and the signature to files; empty if there is nothing to verify.
  var commands: [String] {
    guard !checks.isEmpty, let signature else { return [] }
    var commands = contents.indices.map { "\(ShellText.printf(contents[$0].message)) > \(messageFile($0))" }
    switch signature.form {
    case .der: commands.append("\(ShellText.decode(signature.bytes)) > signature-\(number).der")
    case .raw:
      commands += [
        "hex=$(\(ShellText.decode(signature.bytes)) | od -An -v -tx1 | tr -d ' \\n')",
        "r=$(printf %s \"$hex\" | cut -c 1-64)", "s=$(printf %s \"$hex\" | cut -c 65-128)",
        "printf 'asn1=SEQUENCE:rs\\n[rs]\\nr=INTEGER:0x%s\\ns=INTEGER:0x%s\\n' \"$r\" \"$s\" > signature-\(number).cnf",
        "openssl asn1parse -genconf signature-\(number).cnf -noout -out signature-\(number).der",
      ]
    }
    return commands
  }

  /// The commands that verify the signature, each with the expected output.
  var checks: [Check] {
    guard isShort, signature != nil else { return [] }
    return contents.indices.flatMap { index in
      contents[index].checks.map { key, isSigner in
        let files = "-signature signature-\(number).der \(messageFile(index))"
        return Check(key: key, command: "openssl dgst -sha256 -verify \(key.file) \(files)", isSigner: isSigner)
      }
    }
  }

  /// Indicates that the signed texts are short enough for commands.
  private var isShort: Bool { contents.allSatisfy { $0.message.count <= Self.longest } }

  private func messageFile(_ index: Int) -> String {
    contents.count == 1 ? "signed-\(number).txt" : "signed-\(number)-\(index + 1).txt"
  }
}

// MARK: - JSON

extension CaseExample {
  /// One JSON object.
  var json: JSONValue {
    .object([
      .init("number", .integer(number)),
      .init("reject_code", .text(code)),
      .init("row", .object(row)),
      .init("record_base64", .text(record.map(ShellText.base64))),
      .init("signed_base64", .array(contents.map { .string(ShellText.base64($0.message)) })),
      .init("signature_base64", .text((signature?.bytes).map(ShellText.base64))),
      .init("note", .text(note)),
      .init("record_commands", .texts(recordCommands)),
      .init("commands", .texts(commands)),
      .init(
        "checks",
        .array(
          checks.map { check in
            .object([
              .init("key_id", .string(check.key.key.id)), .init("command", .string(check.command)),
              .init("answer", .string(check.answer)),
            ])
          }
        )
      ),
    ])
  }
}
