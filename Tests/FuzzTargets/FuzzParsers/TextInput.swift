import Base
import JSON
import PostbackPipeline
import Signatures

@testable import Tables

/// Texts in general forms: JSON, CSV, records, base64 and DER.
enum TextInput {
  static func json(_ bytes: [UInt8]) {
    do throws(JSONDefect) {
      let value = try JSONValue(parsing: bytes)
      let text = Array("\(value)".utf8)
      do { require(try JSONValue(parsing: text) == value, "the text of a value has its value") } catch {
        fatalError("the text of a value is JSON: \(error)")
      }
    } catch {
      require(!error.advice(in: bytes).isEmpty, "a defect has advice")
    }
  }

  static func csv(_ bytes: [UInt8]) {
    var records = CSVRecords(bytes)
    var line = 0
    while let record = records.next() {
      require(record.line > line, "lines ascend")
      require(!record.fields.isEmpty, "a record has a field")
      line = record.line
    }
    var end = 0
    CSV.forEachCell(in: bytes, bytes.indices) { cell in
      if case .text(let range) = cell {
        require(range.indices.lowerBound >= end && range.indices.upperBound <= bytes.count, "cells ascend")
        end = range.indices.lowerBound
      }
    }
  }

  /// A byte that sets the size of pieces, and a text.
  static func framing(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let text = Array(input.dropFirst())
    let whole = records(of: text, piece: text.count + 1)
    require(records(of: text, piece: 1 + Int(choice) % 64) == whole, "the same records, whatever the pieces")
  }

  private static func records(of text: [UInt8], piece: Int) -> [[UInt8]] {
    do throws(LibcryptoFailure) {
      var splitter = try RecordSplitter(recordBytes: 300)
      var found: [[UInt8]] = []
      func take(_ taken: (bytes: [UInt8], records: [Record])) {
        found += taken.records.map { Array(taken.bytes[$0.bytes.indices]) }
      }
      var start = 0
      while start < text.count {
        let end = min(start + piece, text.count)
        start += try splitter.split(text.span.extracting(start..<end))
        if start < end { take(splitter.take()) }
      }
      try splitter.finish()
      take(splitter.take())
      return found
    } catch {
      fatalError("\(error)")
    }
  }

  /// A byte that chooses a form, and the text of a signature, a key or a number.
  static func signature(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let text = Array(input.dropFirst())
    let form: Base64 = choice & 1 == 0 ? .standard : .url
    var decoded: [UInt8] = []
    if form.decode(text.span, appendingTo: &decoded) {
      require(form.encode(decoded[...]).elementsEqual(text), "base64 has one form")
    } else {
      decoded = text
    }
    for curve in [Curve.p192, .p256] {
      var raw: [UInt8] = []
      if SignatureForm.der.appendRaw(decoded.span, on: curve, to: &raw) == nil {
        require(raw.count == 2 * curve.fieldByteCount, "r and s are as long as the field")
        require(SignatureForm.der.bytes(ofRaw: raw) == decoded, "DER has one form")
      }
      _ = SignatureForm.raw.appendRaw(decoded.span, on: curve, to: &raw)
    }
    _ = try? PublicKey(subjectPublicKeyInfo: decoded.span)
  }
}
