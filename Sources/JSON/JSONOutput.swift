extension [UInt8] {
  /// Appends a JSON string with these UTF-8 bytes, quoted and escaped (RFC 8259, section 7).
  public mutating func appendJSONString(_ text: ArraySlice<UInt8>) {
    let quote = UInt8(ascii: "\"")
    let text = text.span
    // No byte takes more than the six of \u001f.
    append(addingCapacity: 6 * text.count + 2) { output in
      output.append(quote)
      for index in text.indices {
        let byte = text[index]
        if byte >= 0x20, byte != quote, byte != UInt8(ascii: "\\") {
          output.append(byte)
        } else {
          output.appendJSONEscape(of: byte)
        }
      }
      output.append(quote)
    }
  }

  /// Appends a JSON string that says `text`.
  public mutating func appendJSONString(_ text: String) { appendJSONString(Array(text.utf8)[...]) }

  /// Appends a JSON value as it was written, but on one line and with what common readers cannot hold as strings: integers
  /// of more than 18 digits, and exponents of more than two.
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
        // Line ends can only stand between tokens.
        append(byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") ? UInt8(ascii: " ") : byte)
        rest = rest.dropFirst()
      }
    }
  }

  /// Appends a decimal integer.
  public mutating func appendDecimal(_ value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    let start = count
    repeat {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    self[start...].reverse()
  }

  /// Appends a byte as two hexadecimal digits, in lower case.
  public mutating func appendHexadecimal(_ byte: UInt8) {
    append(hexadecimalDigit(byte >> 4))
    append(hexadecimalDigit(byte & 15))
  }

  /// Appends a word as sixteen hexadecimal digits.
  public mutating func appendHexadecimal(_ word: UInt64) {
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      appendHexadecimal(UInt8(truncatingIfNeeded: word >> shift))
    }
  }
}

extension OutputSpan<UInt8> {
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
      append(hexadecimalDigit(byte >> 4))
      append(hexadecimalDigit(byte & 15))
    }
  }
}

private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}

extension ArraySlice<UInt8> {
  /// Behind the closing quote of the string that begins here.
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
