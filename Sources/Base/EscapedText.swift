extension String {
  /// The text with `\u{…}` in place of each control or format character and each separator of lines or paragraphs,
  /// which a terminal or a reader of lines would not take for text.
  package var withControlCharactersEscaped: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
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

  /// The text with `%` and two hexadecimal digits decoded; nil if there are none, or if the result is not UTF-8.
  package var percentDecoded: String? {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    var isEncoded = false
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = rest.first?.hexadecimalValue,
        let low = rest.dropFirst().first?.hexadecimalValue
      {
        isEncoded = true
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    // What is not UTF-8 would be replaced.
    let text = String(decoding: bytes, as: UTF8.self)
    return isEncoded && text.utf8.elementsEqual(bytes) ? text : nil
  }

  /// The text as one word of a shell command, in quotation marks if the shell would not read it as it is.
  package var shellWord: String {
    let isPlain = !isEmpty && utf8.allSatisfy { $0.isInNames || "/+,:@%".utf8.contains($0) }
    return isPlain ? self : quotedForShell
  }

  /// The text as one word of a shell command, in quotation marks.
  package var quotedForShell: String {
    "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
  }

  /// The text in quotation marks, cut after 40 characters.
  package var quotedExcerpt: String { String(prefix(40)).debugDescription + (count > 40 ? "…" : "") }
}

extension Unicode.Scalar {
  /// Indicates that the scalar is no visible text: a control or format character, or a separator of lines or
  /// paragraphs.
  package var isControl: Bool {
    // Most text is ASCII, for which the search in Unicode's tables is slow.
    if isASCII { return value < 0x20 || value == 0x7F }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

extension String {
  /// The character that a reference of XML names between `&` and `;`: one of the five entities of XML, or a number. Nil for others.
  ///
  /// Source: XML 1.0, sections 4.1 and 4.6.
  package init?(xmlReference name: some StringProtocol) {
    switch name {
    case "amp": self = "&"
    case "lt": self = "<"
    case "gt": self = ">"
    case "quot": self = "\""
    case "apos": self = "'"
    default:
      let isHexadecimal = name.hasPrefix("#x")
      guard name.hasPrefix("#"),
        let number = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10), number != 0,
        let scalar = Unicode.Scalar(number)
      else { return nil }
      self.init(Character(scalar))
    }
  }
}

extension Substring {
  /// The text without white space around it.
  package var trimmed: Substring {
    var text = drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text = text.dropLast() }
    return text
  }
}
