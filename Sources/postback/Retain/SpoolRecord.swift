internal import Base
internal import JSON
internal import Ledger
internal import PostbackVerification
internal import SKAdNetwork
internal import Signatures
internal import Tables

/// A reader of the records of a spool that tells whose they are, by the rules with which the pipeline reads them.
struct SpoolRecordReader: ~Copyable {
  /// The content of a record that says whose it is.
  struct Content {
    /// The transaction that the record names; nil if none can be read.
    var transactionID: String?
    /// The key of the postback; nil if it is none.
    var key: PostbackKey?
    /// The text that the parser refused, without its envelope; nil for a postback.
    var refused: ArraySlice<UInt8>?
    /// The address of the sender and the time of receipt, if the record has an envelope.
    var sender: (address: [UInt8], receivedAt: Timestamp)?
    /// The signed text and the signature of a postback, or the reject code of another record.
    fileprivate var meaning: [UInt8] = []
  }

  private var parser = PostbackParser()
  private var hash: SHA256

  init() throws(LibcryptoFailure) { hash = try SHA256() }

  /// Reads a record.
  mutating func content(_ bytes: [UInt8]) throws(LibcryptoFailure) -> Content {
    var text = bytes + [UInt8](repeating: 0, count: JSONParser.padding)
    var content = Content()
    do {
      let postback = try parser.parse(0..<bytes.count, of: &text)
      content.key = try PostbackKey(of: postback, in: text, &hash, &content.meaning)
      postback.appendSignedMessage(.asSent, of: text, to: &content.meaning)
      switch postback.signature {
      case .attribution(let range): content.meaning += text[range.indices]
      case .jws(let jws): content.meaning += text[jws.signature.indices]
      }
    } catch let defect as PostbackDefect {
      content.meaning = Array(defect.code.rawValue.utf8)
      content.refused = parser.isUnwrapped ? text[parser.body] : text[..<bytes.count]
    } catch let failure as LibcryptoFailure {
      throw failure
    } catch {
      preconditionFailure("the parser and the digest throw nothing else")
    }
    func string(_ range: ByteRange) -> String { String(decoding: text[range.indices], as: UTF8.self) }
    content.transactionID = parser.claims.transactionID.map(string)
    if let envelope = parser.envelope, let address = envelope.remoteAddress,
      let time = envelope.receivedAt.flatMap({ Timestamp(string($0)) })
    {
      content.sender = (Array(text[address.indices]), time)
    }
    return content
  }

  /// Returns the coverage of a record: the person's are also those that were forgotten, and pieces of them. Text that cannot be masked without
  /// changing what the record is, is nil.
  mutating func coverage(
    _ bytes: [UInt8],
    _ request: RemovalRequest,
    _ forgotten: ForgottenIDs
  ) throws(LibcryptoFailure) -> RemovalRequest.Coverage? {
    let content = try self.content(bytes)
    if let key = content.key, forgotten.keys.contains(key) { return .own }
    if let text = content.refused {
      let id = content.transactionID.map { Array($0.utf8)[...] }
      if try forgotten.key(ofClaimed: id, in: text, &hash) != nil { return .own }
    }
    if let sender = content.sender, request.covers(address: sender.address) { return .own }
    let coverage = request.coverage(of: bytes, transactionID: content.transactionID)
    guard case .mention(let masked) = coverage else { return coverage }
    let after = try self.content(masked)
    return after.meaning == content.meaning && after.transactionID == content.transactionID ? coverage : nil
  }
}
