internal import Base

extension [UInt8] {
  /// Appends a JSON string with these UTF-8 bytes, quoted and escaped (RFC 8259, section 7).
  public mutating func appendJSONString(_ text: Span<UInt8>) {
    // A byte takes at most the six characters of \u001f.
    append(addingCapacity: 6 * text.count + 2) { output in
      output.append(UInt8(ascii: "\""))
      for index in text.indices {
        let byte = text[index]
        if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
          output.append(byte)
        } else {
          output.appendJSONEscape(of: byte)
        }
      }
      output.append(UInt8(ascii: "\""))
    }
  }

  /// Appends a JSON string with these UTF-8 bytes.
  public mutating func appendJSONString(_ text: ArraySlice<UInt8>) { appendJSONString(text.span) }

  /// Appends a JSON string that says `text`.
  public mutating func appendJSONString(_ text: String) {
    if #available(iOS 26.0, *) { return appendJSONString(text.utf8.span) }
    appendJSONString(ArraySlice(text.utf8))
  }

  /// Appends a JSON string that says `text`; with `escapingSlashes`, `/` as `\/`, as Apple's encoder writes it.
  public mutating func appendJSONString(_ text: String, escapingSlashes: Bool) {
    let slash = UInt8(ascii: "/")
    guard escapingSlashes, text.utf8.contains(slash) else { return appendJSONString(text) }
    var plain: [UInt8] = []
    plain.appendJSONString(text)
    for byte in plain {
      if byte == slash { append(UInt8(ascii: "\\")) }
      append(byte)
    }
  }

  /// Appends a JSON value as it was written, but on one line. Numbers that common readers cannot hold become strings:
  /// integer parts of more than 18 characters, and exponents of more than two digits.
  public mutating func appendPortableJSON(_ value: ArraySlice<UInt8>) {
    var rest = value
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "\""):
        let end = rest.endOfJSONString
        append(contentsOf: rest[..<end])
        rest = rest[end...]
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let number = rest.prefix {
          $0 > 0x20 && ![UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")].contains($0)
        }
        if number.isPortableJSONNumber { append(contentsOf: number) } else { appendJSONString(number) }
        rest = rest[number.endIndex...]
      default:
        // Line ends are possible only between tokens.
        append(byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") ? UInt8(ascii: " ") : byte)
        rest = rest.dropFirst()
      }
    }
  }

  /// Appends a decimal integer.
  public mutating func appendDecimal(_ value: Int64) {
    append(addingCapacity: 20) { $0.append(decimal: value) }
  }
}

extension OutputSpan<UInt8> {
  /// Appends a decimal integer: at most 20 bytes.
  public mutating func append(decimal value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(digitsOf: value.magnitude)
  }

  private mutating func append(digitsOf number: UInt64) {
    guard number >= 10 else { return append(UInt8(ascii: "0") | UInt8(truncatingIfNeeded: number)) }
    let (above, lowest) = number.quotientAndRemainder(dividingBy: 100_000_000)
    let digits = lowest.eightDigits
    if above > 0 {
      append(digitsOf: above)
      append(lowest: 8, of: digits)
    } else {
      let zeroBits = digits.bitsOfLeadingZeros
      append(lowest: 8 - zeroBits / 8, of: digits >> UInt64(zeroBits))
    }
  }

  fileprivate mutating func appendJSONEscape(of byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
    case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
    case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
    case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
    default:
      append(UInt8(ascii: "u"))
      append(UInt8(ascii: "0"))
      append(UInt8(ascii: "0"))
      append(.hexadecimalDigit(byte >> 4))
      append(.hexadecimalDigit(byte & 15))
    }
  }
}

extension ArraySlice<UInt8> {
  /// The index after the closing quote of the string that begins here.
  fileprivate var endOfJSONString: Int {
    var index = startIndex + 1
    while index < endIndex, self[index] != UInt8(ascii: "\"") { index += self[index] == UInt8(ascii: "\\") ? 2 : 1 }
    return Swift.min(index + 1, endIndex)
  }

  fileprivate var isPortableJSONNumber: Bool {
    let integer = prefix { $0 == UInt8(ascii: "-") || $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    guard let mark = firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return integer.count <= 18 }
    let exponent = self[(mark + 1)...].drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    return integer.count <= 18 && exponent.count <= 2
  }
}
