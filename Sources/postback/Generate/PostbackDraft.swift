internal import SKAdNetwork

/// The fields of a generated postback, without its signature.
struct PostbackDraft: Sendable {
  /// A key with its value.
  struct Member: Sendable {
    var field: Field
    var value: DraftValue
  }

  let form: PostbackForm
  /// The members in the order in which Apple documents them.
  private(set) var members: [Member] = []
  /// The members whose keys are not Apple's.
  var extras: [(name: String, value: DraftValue)] = []

  init(_ form: PostbackForm) { self.form = form }

  /// The value of a field; nil if it is absent.
  subscript(field: Field) -> DraftValue? {
    get { members.first { $0.field == field }?.value }
    set {
      let index = members.firstIndex { $0.field.rawValue >= field.rawValue } ?? members.count
      let isThere = index < members.count && members[index].field == field
      switch newValue {
      case let value? where isThere: members[index].value = value
      case let value?: members.insert(Member(field: field, value: value), at: index)
      case nil where isThere: members.remove(at: index)
      case nil: break
      }
    }
  }

  /// Adds a second member with the same key, which no genuine postback has.
  mutating func double(_ field: Field, _ value: DraftValue) { members.append(Member(field: field, value: value)) }

  /// Indicates that the postback reports a win. Versions without `did-win` report only wins.
  var isWin: Bool { self[.didWin] != .boolean(false) }

  /// Appends the text that Apple signs of a SKAdNetwork postback: the values of its version's fields, joined by U+2063.
  func appendSignedText(to message: inout [UInt8]) {
    let separator: [UInt8] = [0xE2, 0x81, 0xA3]
    let start = message.count
    for field in form.signedFields {
      guard let value = self[field] else { continue }
      if message.count > start { message += separator }
      message.append(contentsOf: value.text.utf8)
    }
  }
}
