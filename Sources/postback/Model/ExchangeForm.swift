internal import JSON
internal import ModelExchange

/// The value of `--as` of `model import` and `model export`: the form of a schema elsewhere.
enum ExchangeForm {
  /// The forms that people ask for, and whose description is not public.
  private static let unpublished = [
    "singular": "Singular describes the answers of its API to partners only", "meta": metas, "facebook": metas,
    "tiktok": "TikTok describes to partners only how it takes schemas",
  ]

  private static let metas = "Meta describes to partners only how it takes schemas"

  /// Reads the name of a form, one of `names`.
  static func kind<Form: RawRepresentable<String> & CaseIterable & Sendable>(_ type: Form.Type) -> ValueKind<Form> {
    ValueKind { text in
      if let form = Form(rawValue: text) { return form }
      let names = type.allCases.map(\.rawValue).joined(separator: ", ")
      if let form = unpublished[text.lowercased()] {
        throw CommandFailure(.usage, "\(form), so there is no --as \(text). The forms are \(names).")
      }
      throw CommandFailure(.usage, "The value of --as is \(text). The forms are \(names).")
    }
  }
}

extension ExchangeNotes {
  /// Reports each note on standard error: what is lost as a warning, what is assumed as a note.
  func report() {
    for note in lost { Terminal.warn("lost: \(note.text)") }
    for note in assumed { Terminal.note("assumed: \(note.text)") }
  }

  /// The notes as members of a JSON object: `lost` and `assumed`.
  var members: [JSONValue.Member] {
    [.init("lost", .array(lost.map(\.json))), .init("assumed", .array(assumed.map(\.json)))]
  }
}
