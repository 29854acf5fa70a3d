/// The part of DER (X.690) that keys and signatures need, read strictly: an accepted value has no second encoding.
enum DER {
  enum Tag: UInt8 {
    case integer = 0x02
    case bitString = 0x03
    case objectIdentifier = 0x06
    case sequence = 0x30
  }

  /// Takes an element off the front of `rest`. Returns the range of its content in `bytes`.
  ///
  /// Returns nil, with `rest` unchanged, if the front is not an element of that tag with a definite length in the
  /// fewest bytes.
  static func take(_ tag: Tag, from rest: inout Range<Int>, of bytes: Span<UInt8>) -> Range<Int>? {
    guard rest.count >= 2, bytes[rest.lowerBound] == tag.rawValue else { return nil }
    var start = rest.lowerBound + 2
    var count = Int(bytes[rest.lowerBound + 1])
    if count >= 0x80 {
      let lengthEnd = start + count - 0x80
      guard 1...4 ~= count - 0x80, lengthEnd <= rest.upperBound, bytes[start] != 0 else { return nil }
      count = 0
      while start < lengthEnd {
        count = count << 8 | Int(bytes[start])
        start += 1
      }
      guard count >= 0x80 else { return nil }
    }
    guard count <= rest.upperBound - start else { return nil }
    rest = start + count..<rest.upperBound
    return start..<start + count
  }

  /// Takes an integer in the fewest bytes, as two's complement, off the front of `rest`.
  static func takeInteger(from rest: inout Range<Int>, of bytes: Span<UInt8>) -> Range<Int>? {
    guard let content = take(.integer, from: &rest, of: bytes), !content.isEmpty else { return nil }
    if content.count > 1 {
      let (first, second) = (bytes[content.lowerBound], bytes[content.lowerBound + 1])
      guard !(first == 0x00 && second < 0x80), !(first == 0xFF && second >= 0x80) else { return nil }
    }
    return content
  }

  /// Encodes an element of less than 128 bytes, which holds every key and signature here.
  static func element(_ tag: Tag, _ content: [UInt8]) -> [UInt8] {
    precondition(content.count < 0x80)
    return [tag.rawValue, UInt8(content.count)] + content
  }

  /// Encodes an unsigned big-endian number.
  static func integer(_ magnitude: Span<UInt8>) -> [UInt8] {
    var content: [UInt8] = []
    for index in magnitude.indices where !content.isEmpty || magnitude[index] != 0 {
      if content.isEmpty && magnitude[index] >= 0x80 { content.append(0) }
      content.append(magnitude[index])
    }
    return element(.integer, content.isEmpty ? [0] : content)
  }
}
