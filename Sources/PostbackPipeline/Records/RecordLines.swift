internal import DurableFiles
internal import JSON
internal import PostbackVerification

/// A member of the objects that `finish` reads.
enum RecordMember: String, CaseIterable {
  // The position and the record.
  case sourceFile = "source_file"
  case sourceLine = "source_line"
  case fileModifiedAt = "file_modified_at"
  case record
  case recordBase64 = "record_base64"
  // The defects that framing found.
  case byteCount = "byte_count"
  case sha256
  case truncated
  case byteOrderMark = "byte_order_mark"
  /// The key by which lines are distributed.
  case postbackKey = "postback_key"
  // The content that deduplication compares.
  case contentDigest = "content_digest"
  case unsignedFields = "unsigned_fields"
  case unsignedNumber = "unsigned_number"
  /// Marks a row of seen keys.
  case seen

  /// The members of a row of seen keys.
  static let ofSeenKeys: Set<Self> = [.postbackKey, .seen, .contentDigest, .unsignedFields, .unsignedNumber]
}

/// The lines that `finish` reads, each parsed as a JSON object, one after the other.
///
/// Holds one buffer and one line. Every failure of a line names its number.
final class RecordLines {
  /// The line, then what the parser appended. Valid until the next one.
  private(set) var text: [UInt8] = []
  /// The number of the line, from 1.
  private(set) var number = 0

  private let file: OpenFile
  private var buffer = [UInt8](repeating: 0, count: 1 << 18)
  private var unread = 0..<0
  private var parser = JSONParser(names: RecordMember.allCases.map(\.rawValue))
  private var document = JSONDocument()

  /// The length in bytes of the longest line.
  private static let longest = 128 << 20
  private static let name = "standard input"

  /// The lines of a file that is open.
  init(_ file: consuming OpenFile) { self.file = file }

  /// Reads and parses the next line. Returns false at the end.
  func next() throws(PipelineFailure) -> Bool {
    text.removeAll(keepingCapacity: true)
    guard try readLine() else { return false }
    let count = text.count
    text.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    do throws(JSONDefect) {
      try parser.parse(0..<count, of: &text, into: &document)
    } catch {
      switch error {
      case .notJSON(let reason): throw broken("it is no JSON: \(reason)")
      case .tooDeep: throw broken("it is nested too deep")
      case .invalidUTF8: throw broken("it is not UTF-8; a record that is not belongs into record_base64")
      case .duplicateKey(let key): throw broken("it has the member \(key) twice")
      }
    }
    guard document.root.kind == .object else { throw broken("it is no JSON object") }
    return true
  }

  /// Returns the failure of the current line.
  func broken(_ reason: String) -> PipelineFailure { Self.failure(line: number, reason) }

  /// Returns the failure of a line.
  static func failure(
    line: Int,
    _ reason: String,
    advice: String = "See postback records read --help for the members"
  ) -> PipelineFailure {
    let text = "Line \(line) is not a line of record mode: \(reason)"
    return .read(FileFailure(.damaged, Self.name, text, advice: advice))
  }

  /// The value of a member, absent where it is not there or null.
  subscript(_ member: RecordMember) -> JSONField {
    let field = document.fields[RecordMember.allCases.firstIndex(of: member) ?? 0]
    return field.kind == .null ? .absent : field
  }

  /// The members that the line has.
  var members: [RecordMember] { RecordMember.allCases.filter { self[$0].kind != .absent } }

  /// Returns the bytes of a text member; nil if it is absent.
  func bytes(_ member: RecordMember) throws(PipelineFailure) -> ArraySlice<UInt8>? {
    let field = self[member]
    guard field.kind != .absent else { return nil }
    guard field.kind == .string else { throw broken("its member \(member.rawValue) is no string") }
    return text[field.text.indices]
  }

  /// Returns an integer member of at least `minimum`; nil if it is absent.
  func integer(_ member: RecordMember, from minimum: Int64 = 0) throws(PipelineFailure) -> Int64? {
    let field = self[member]
    guard field.kind != .absent else { return nil }
    guard field.kind == .number, let value = Int64(String(decoding: text[field.text.indices], as: UTF8.self)),
      value >= minimum
    else { throw broken("its member \(member.rawValue) is no integer of at least \(minimum)") }
    return value
  }

  /// Returns a member that must be there.
  func required<Value>(_ member: RecordMember, _ value: Value?) throws(PipelineFailure) -> Value {
    guard let value else { throw broken("it has no member \(member.rawValue)") }
    return value
  }

  /// Returns the key of the postback; nil where the record is none.
  func postbackKey() throws(PipelineFailure) -> PostbackKey? {
    guard let digits = try bytes(.postbackKey) else { return nil }
    guard let key = PostbackKey(hexadecimal: digits.span) else {
      throw broken("its postback_key is not 32 hexadecimal digits in lower case")
    }
    return key
  }

  /// Appends the next line to `text`, without its end. Returns false at the end of the file.
  private func readLine() throws(PipelineFailure) -> Bool {
    number += 1
    while true {
      if unread.isEmpty {
        do throws(FileFailure) { unread = 0..<(try file.read(into: &buffer, at: 0)) } catch { throw .read(error) }
        if unread.isEmpty { return !text.isEmpty }
      }
      let end = buffer.span.extracting(0..<unread.upperBound).lineEnd(from: unread.lowerBound)
      text += buffer[unread.lowerBound..<(end ?? unread.upperBound)]
      unread = (end.map { $0 + 1 } ?? unread.upperBound)..<unread.upperBound
      guard text.count <= Self.longest else { throw broken("it is longer than \(Self.longest) bytes") }
      if end != nil { return true }
    }
  }
}
