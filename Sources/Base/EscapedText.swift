extension String {
  /// The text with an escape for all that a terminal, or a reader of lines, would take for something else than text:
  /// control characters, line separators, and what changes the direction of writing.
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
}

extension Unicode.Scalar {
  /// Whether it is no text by itself, but changes what is around it.
  package var isControl: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
