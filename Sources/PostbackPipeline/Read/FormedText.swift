internal import Base
internal import DurableFiles
internal import InputForms
internal import JSON

/// The text of an input as JSON: as it is, or for CSV the objects of its rows, each on the line on which the row begins.
struct FormedText: ~Copyable {
  private var stream: TextStream
  private let form: InputForm
  private let limit: Int
  /// The start of the text while its form is not decided; nil once it is.
  private var start: [UInt8]?
  /// The rows of a CSV text; nil for others.
  private var csv: CSVText?
  private var converted: [UInt8] = []
  /// The text as it was read, before it is converted: a buffer that does not grow with what becomes of it.
  private var piece: [UInt8] = []
  /// True in a comment of a log, which begins with `#`; nil in another line.
  private var isInComment: Bool? = false
  /// The end of the text, which was read while rows before it were handed on.
  private var end: TextStream.Step?

  /// The text of a stream. A row, or a header, of more than `limit` bytes is none. A text that is only a later part of a file
  /// is JSON.
  init(_ stream: consuming TextStream, _ form: InputForm, limit: Int, isWhole: Bool) {
    self.stream = stream
    (self.form, self.limit) = (form, limit)
    start = isWhole && form.detection != .json ? [] : nil
  }

  /// The header of a CSV text; nil for others.
  var csvHeader: CSVHeader? { csv?.header }

  /// True if each line is a record.
  var hasOnlyLines: Bool { csv != nil || form.isOfLines }

  /// The number of bytes of the input, as stored, that were used so far.
  var consumed: Int64 { stream.consumed }

  /// Reads the next piece of the text and writes it to the start of `text`, which grows if it is too short.
  mutating func read(into text: inout [UInt8]) throws(FileFailure) -> TextStream.Step {
    while start != nil || csv != nil {
      if let end { return end }
      converted.removeAll(keepingCapacity: true)
      if piece.isEmpty { piece = [UInt8](repeating: 0, count: text.count) }
      switch try stream.read(into: &piece) {
      case .text(let count):
        // The piece is lent, because adding it changes the rest.
        let lent = piece
        add(lent.span.extracting(0..<count))
      case let step:
        end = step
        finish()
      }
      guard !converted.isEmpty else { continue }
      if text.count < converted.count { text += converted[text.count...] }
      text.replaceSubrange(0..<converted.count, with: converted)
      return .text(converted.count)
    }
    if let end { return end }
    let step = try stream.read(into: &text)
    if form.isOfLines, case .text(let count) = step { removeComments(of: &text, count) }
    return step
  }

  /// Writes spaces in the place of lines that begin with `#`, which logs have at their start.
  private mutating func removeComments(of text: inout [UInt8], _ count: Int) {
    for index in 0..<count {
      let byte = text[index]
      // At the start of a line it is false until its first byte decides.
      if isInComment == false { isInComment = byte == UInt8(ascii: "#") ? true : nil }
      if byte == UInt8(ascii: "\n") {
        isInComment = false
      } else if isInComment == true {
        text[index] = UInt8(ascii: " ")
      }
    }
  }

  private mutating func add(_ piece: Span<UInt8>) {
    guard start != nil else {
      csv?.add(piece, to: &converted)
      return
    }
    start?.append(copying: piece)
    // Nearly all inputs begin with one of these.
    let isJSON = start?.first == UInt8(ascii: "{") || start?.first == UInt8(ascii: "[")
    let lineEnd = isJSON ? nil : start?.firstIndex(of: UInt8(ascii: "\n"))
    if isJSON || lineEnd != nil || (start?.count ?? 0) > limit { decide(isJSON: isJSON, lineEnd: lineEnd) }
  }

  private mutating func finish() {
    if start != nil { decide(isJSON: false, lineEnd: nil) }
    csv?.finish(to: &converted)
  }

  /// Decides about the form, and hands on what was read so far.
  private mutating func decide(isJSON: Bool, lineEnd: Int?) {
    let bytes = start ?? []
    start = nil
    var line = Array(bytes[ByteOrderMark.length(in: bytes)..<(lineEnd ?? bytes.count)])
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    let isOfJSON = isJSON || (line.first { !$0.isWhitespace }.map { "{[".utf8.contains($0) } ?? true)
    guard !isOfJSON, line.count <= limit, let header = form.header(line) else {
      converted = bytes
      return
    }
    csv = CSVText(header, limit: limit)
    guard let lineEnd else { return }
    // The header has the first line.
    converted.append(UInt8(ascii: "\n"))
    csv?.add(bytes.span.extracting((lineEnd + 1)...), to: &converted)
  }
}
