internal import Answers
internal import JSON
internal import PostbackVerification
internal import Signatures
internal import Tables
internal import PageMarkup

/// The examples of a case on its page, with the commands that verify them.
struct CaseExamplesSection {
  let keys: CaseKeys
  let examples: [CaseExample]
  /// The copies that stand side by side before their examples.
  let pairs: [CasePair]
  let mask: CaseMask

  /// The maximum length of a record that the page shows whole.
  private static let longestRecord = 16 << 10

  var html: HTML {
    """
    <p>Each example has the record as it was received, the bytes that Apple signs for such a record, and commands that verify
    the signature. They need a POSIX shell and OpenSSL (<code>openssl</code>), nothing else. Run the commands of the keys
    first, in an empty folder; each command then prints the answer that is shown.</p>
    \(keySection)
    \(examples.map { example -> HTML in "\(pair(before: example))\(section(example))" })
    """
  }

  /// Both copies side by side, before the example of the first of them.
  private func pair(before example: CaseExample) -> HTML {
    pairs.first { $0.rejectedExample == example.number }?.html(mask) ?? ""
  }

  private var keySection: HTML {
    guard !keys.entries.isEmpty else { return "" }
    let rows = keys.entries.map { entry -> HTML in
      "<dt>\(entry.file)</dt><dd>\(entry.key.id): \(entry.description)</dd>"
    }
    return """
      <h3>Keys</h3>
      <p class="note">Apple publishes its keys in its documentation of SKAdNetwork (“Verifying an install-validation postback”)
      and AdAttributionKit (“Verifying a postback”). Compare them.</p>
      <dl>\(rows)</dl>
      \(Self.commands(keys.entries.map(\.command)))
      """
  }

  private func section(_ example: CaseExample) -> HTML {
    let facts = example.row.map { member -> HTML in
      "<dt>\(member.key)</dt><dd>\(member.value.text ?? "\(member.value)")</dd>"
    }
    let verdict: HTML =
      if example.checks.contains(where: \.isSigner) {
        "<span class=\"verdict good\">The signature is genuine.</span>"
      } else if !example.checks.isEmpty {
        "<span class=\"verdict bad\">No trusted key signed this content.</span>"
      } else {
        ""
      }
    let detail = example.row.first { $0.key == ColumnName.rejectDetail.rawValue }?.value.text
    let notes = [example.note, detail].compactMap(\.self).joined(separator: " ")
    return """
      <section class="example"><h3>Example \(example.number): \(example.code ?? "accepted")</h3>
      <p>\(verdict) \(notes)</p>
      <details><summary>The row of the table</summary><dl>\(facts)</dl></details>
      \(record(example))\(verification(example))</section>
      """
  }

  private func record(_ example: CaseExample) -> HTML {
    guard let record = example.record else { return "" }
    let shown = String(escaping: Array(record.prefix(Self.longestRecord)))
    let rest: HTML =
      record.count > Self.longestRecord
      ? "<p class=\"note\">The record has \(record.count) bytes, of which the first are shown.</p>" : ""
    let commands: HTML =
      record.count > Self.longestRecord || example.recordCommands.isEmpty
      ? ""
      : "<details><summary>The record as a file, and its SHA-256</summary>\(Self.commands(example.recordCommands))</details>"
    return "<h4>The record as it was received</h4><pre>\(shown)</pre>\(rest)\(commands)"
  }

  private func verification(_ example: CaseExample) -> HTML {
    guard !example.contents.isEmpty else { return "" }
    let texts = example.contents.map { content -> HTML in
      "<pre>\(Self.text(of: content.message.prefix(Self.longestRecord)))</pre>"
    }
    guard !example.checks.isEmpty else { return "<h4>The bytes that Apple signs</h4>\(texts)" }
    let signature: HTML =
      switch example.signature?.form {
      case .raw:
        "<p class=\"note\">The third part of the JWS is r and s, 32 bytes each, in base64url. OpenSSL wants them as DER, which the commands make.</p>"
      case .der, nil: ""
      }
    let several: HTML =
      example.contents.count > 1
      ? "<p class=\"note\">Forwarders fill in absent fields with 0 or an empty text, so that the signature may be of either text.</p>"
      : ""
    let checks = example.checks.map { check -> HTML in
      "\(Self.commands([check.command]))<p>prints <span class=\"verdict\">\(check.answer)</span> (\(check.key.key.id))</p>"
    }
    return """
      <h4>The bytes that Apple signs (⁞ stands for U+2063, bytes e2 81 a3)</h4>\(texts)\(several)
      <h4>How to verify the signature</h4>\(signature)\(Self.commands(example.commands))\(checks)
      """
  }

  /// Returns a signed text with ⁞ for U+2063. Bytes that are not text are escaped.
  private static func text(of message: ArraySlice<UInt8>) -> String {
    var parts: [[UInt8]] = [[]]
    for byte in message {
      parts[parts.count - 1].append(byte)
      if parts[parts.count - 1].suffix(3) == [0xE2, 0x81, 0xA3] {
        parts[parts.count - 1].removeLast(3)
        parts.append([])
      }
    }
    return parts.map { String(escaping: $0) }.joined(separator: " ⁞ ")
  }

  /// Returns commands as text that can be copied into a shell, a line each.
  private static func commands(_ commands: [String]) -> HTML {
    "<pre class=\"commands\">\(commands.enumerated().map { index, line -> HTML in index == 0 ? "\(line)" : "\n\(line)" })</pre>"
  }
}
