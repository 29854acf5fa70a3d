import Base
import Testing

struct Base64Tests {
  private func decoded(_ text: String, _ form: Base64) -> [UInt8]? {
    var output = Array("before".utf8)
    let isRight = form.decode(Array(text.utf8).span, appendingTo: &output)
    #expect(output.starts(with: "before".utf8))
    #expect(isRight || output.count == 6, "nothing may be left of what is wrong")
    return isRight ? Array(output.dropFirst(6)) : nil
  }

  private func encoded(_ bytes: [UInt8], _ form: Base64) -> String {
    String(decoding: form.encode(bytes), as: UTF8.self)
  }

  /// RFC 4648, section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func `has the test vectors of the RFC`(_ plain: String, text: String) {
    let bytes = Array(plain.utf8)
    #expect(encoded(bytes, .standard) == text)
    #expect(decoded(text, .standard) == bytes)
    let unpadded = String(text.prefix { $0 != "=" })
    #expect(encoded(bytes, .url) == unpadded)
    #expect(decoded(unpadded, .url) == bytes)
  }

  @Test(arguments: 0..<4)
  func `decoding reverses encoding for every byte at every place`(_ lead: Int) {
    let bytes = [UInt8](repeating: 0, count: lead) + (0...255).map { UInt8($0) }
    for form in [Base64.standard, .url] { #expect(decoded(encoded(bytes, form), form) == bytes) }
  }

  @Test func `base64 and base64url differ in two characters`() {
    let bytes: [UInt8] = [0xFB, 0xEF, 0xFF]
    #expect(encoded(bytes, .standard) == "++//")
    #expect(encoded(bytes, .url) == "--__")
    #expect(decoded("++//", .url) == nil && decoded("--__", .standard) == nil)
    #expect(decoded("++__", .url) == nil && decoded("+-//", .standard) == nil)
  }

  @Test(arguments: [
    "Zg", "Zg=", "Zm8", "Zg===", "Zm9v=", "Zm9v==", "Zm9v====", "=", "==", "===", "====", "Z===", "Zg==Zg==", "Z=g=",
    "=Zg=", "Zm=v", "Zm9vY", "Zm9vY===",
  ])
  func `padding must be exact and at the end`(_ text: String) {
    #expect(decoded(text, .standard) == nil)
  }

  @Test(arguments: ["Zg==", "Zm8=", "Zm9v=", "=", "Z", "Zm9vY"])
  func `base64url has no padding and no incomplete group`(_ text: String) {
    #expect(decoded(text, .url) == nil)
  }

  @Test(arguments: ["Zh==", "Zv==", "Zm9=", "Zm+=", "Zm9vYh==", "Zm9vYmF="])
  func `unused bits must be 0`(_ text: String) {
    #expect(decoded(text, .standard) == nil)
    #expect(decoded(String(text.prefix { $0 != "=" }), .url) == nil)
  }

  @Test(arguments: [" ", "\n", "\r\n", "\t", "\0", "!", ".", "é", "\u{FEFF}", "%3D"])
  func `characters outside the alphabet are refused`(_ junk: String) {
    for text in ["\(junk)Zm9v", "Zm\(junk)9v", "Zm9v\(junk)", "Zm9\(junk)", junk + junk + junk + junk] {
      #expect(decoded(text, .standard) == nil)
      #expect(decoded(text, .url) == nil)
    }
  }

  @Test func `each byte has only one encoding`() {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var texts: [[UInt8]: Int] = [:]
    for first in alphabet {
      for second in alphabet {
        var output: [UInt8] = []
        if Base64.url.decode([first, second].span, appendingTo: &output) { texts[output, default: 0] += 1 }
      }
    }
    #expect(texts.count == 256 && texts.values.allSatisfy { $0 == 1 })
  }
}
