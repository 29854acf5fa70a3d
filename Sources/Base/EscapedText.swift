extension String {
  /// The text with `\u{…}` in place of each control or format character and each separator of lines or paragraphs,
  /// which a terminal or a reader of lines would not take for text.
  package var withControlCharactersEscaped: String {
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isControl {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text in quotation marks, cut after 40 characters.
  package var quotedExcerpt: String { String(prefix(40)).debugDescription + (count > 40 ? "…" : "") }
}

extension Unicode.Scalar {
  /// Indicates that the scalar is no visible text: a control or format character, or a separator of lines or
  /// paragraphs.
  package var isControl: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
