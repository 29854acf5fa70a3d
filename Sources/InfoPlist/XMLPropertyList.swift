internal import Base

/// A reader of XML property lists. It knows the elements of Apple's document type, and no entities but those of XML itself.
struct XMLPropertyList {
  private let bytes: [UInt8]
  private var index = 0
  private var values = 0

  static func parse(_ bytes: [UInt8]) throws(PropertyListDefect) -> PropertyList {
    guard (try? UTF8Span(validating: bytes.span)) != nil else {
      throw PropertyListDefect("The file is not UTF-8. Convert it with plutil -convert xml1.")
    }
    var reader = XMLPropertyList(bytes: bytes, index: ByteOrderMark.length(in: bytes))
    return try reader.document()
  }

  private enum Tag {
    case start(String)
    case empty(String)
    case end(String)
  }

  private mutating func document() throws(PropertyListDefect) -> PropertyList {
    guard case .start("plist")? = try tag() else {
      throw defect("The file is no property list: it does not begin with the element plist.")
    }
    guard let first = try tag(), let value = try value(first, depth: 0) else {
      throw defect("The property list has no value.")
    }
    guard case .end("plist")? = try tag() else { throw defect("The element plist does not end after its value.") }
    guard try tag() == nil else { throw defect("There is text after the property list.") }
    return value
  }

  /// Reads the value that a tag begins; nil if the tag ends an element.
  private mutating func value(_ tag: Tag, depth: Int) throws(PropertyListDefect) -> PropertyList? {
    values += 1
    guard values <= PropertyList.mostValues else { throw defect("There are too many values.") }
    guard depth < PropertyList.mostDepth else { throw defect("The values are nested too deeply.") }
    switch tag {
    case .end: return nil
    case .empty("true"): return .boolean(true)
    case .empty("false"): return .boolean(false)
    case .empty("dict"): return .dictionary([])
    case .empty("array"): return .array([])
    case .empty("string"): return .string("")
    case .empty("data"): return .other("data")
    case .empty(let name): throw defect("The element \(name.shown) cannot be empty.")
    case .start("dict"): return .dictionary(try members(depth))
    case .start("array"):
      var elements: [PropertyList] = []
      while let next = try self.tag() {
        if let element = try value(next, depth: depth + 1) {
          elements.append(element)
        } else if case .end("array") = next {
          return .array(elements)
        } else {
          throw defect("An array has the end of another element.")
        }
      }
      throw defect("An array does not end.")
    case .start("true"): return try closed("true", .boolean(true))
    case .start("false"): return try closed("false", .boolean(false))
    case .start("string"): return .string(try text("string"))
    case .start("integer"):
      let digits = try text("integer")
      return Int(digits.filter { !$0.isWhitespace }).map { .integer($0) } ?? .other("a number that is not whole")
    case .start("real"): return try closed("real", .other("a number that is not whole"))
    case .start("date"): return try closed("date", .other("a date"))
    case .start("data"): return try closed("data", .other("data"))
    case .start(let name): throw defect("The element \(name.shown) is not one of a property list.")
    }
  }

  private mutating func closed(_ name: String, _ value: PropertyList) throws(PropertyListDefect) -> PropertyList {
    _ = try text(name)
    return value
  }

  private mutating func members(_ depth: Int) throws(PropertyListDefect) -> [PropertyList.Member] {
    var members: [PropertyList.Member] = []
    while let next = try tag() {
      let key: String
      switch next {
      case .end("dict"): return members
      case .start("key"): key = try text("key")
      case .empty("key"): key = ""
      default: throw defect("A dictionary must have a key here.")
      }
      guard let first = try tag(), let value = try value(first, depth: depth + 1) else {
        throw defect("The key \(key.shown) has no value.")
      }
      members.append(.init(key: key, value: value))
    }
    throw defect("A dictionary does not end.")
  }

  // MARK: - Text

  /// Reads the next tag, over white space, comments and declarations; nil at the end of the file.
  private mutating func tag() throws(PropertyListDefect) -> Tag? {
    while true {
      while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
      guard index < bytes.count else { return nil }
      guard bytes[index] == UInt8(ascii: "<") else { throw defect("There is text between two elements.") }
      if skips("<!--") { try skip(past: "-->"); continue }
      if skips("<?") { try skip(past: "?>"); continue }
      if skips("<!DOCTYPE") {
        let start = index
        try skip(past: ">")
        guard !bytes[start..<index].contains(UInt8(ascii: "[")) else {
          throw defect("The document type has declarations, which no property list needs.")
        }
        continue
      }
      break
    }
    let start = index + 1
    try skip(past: ">")
    var content = bytes[start..<index - 1]
    let isEnd = content.first == UInt8(ascii: "/")
    let isEmpty = content.last == UInt8(ascii: "/")
    if isEnd { content = content.dropFirst() }
    if isEmpty { content = content.dropLast() }
    let name = String(decoding: content.prefix { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }, as: UTF8.self)
    guard !name.isEmpty, name.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else {
      throw defect("\("<\(name)>".shown) is no element of a property list.")
    }
    return isEnd ? .end(name) : isEmpty ? .empty(name) : .start(name)
  }

  /// Reads the text of an element up to its end.
  private mutating func text(_ name: String) throws(PropertyListDefect) -> String {
    var text: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "&") {
        text += Array(try entity().utf8)
      } else if byte != UInt8(ascii: "<") {
        text.append(byte)
        index += 1
      } else if skips("<![CDATA[") {
        let start = index
        try skip(past: "]]>")
        text += bytes[start..<index - 3]
      } else if skips("<!--") {
        try skip(past: "-->")
      } else {
        guard case .end(name)? = try tag() else { throw defect("The element \(name) has another element in it.") }
        return String(decoding: text, as: UTF8.self)
      }
    }
    throw defect("The element \(name) does not end.")
  }

  private mutating func entity() throws(PropertyListDefect) -> String {
    let rest = bytes[(index + 1)...].prefix(12)
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { throw defect("An ampersand must be &amp;.") }
    let name = String(decoding: bytes[index + 1..<end], as: UTF8.self)
    index = end + 1
    guard let text = String(xmlReference: name) else { throw defect("The entity \(name.shown) is not known.") }
    return text
  }

  private mutating func skips(_ text: StaticString) -> Bool {
    let text = Array("\(text)".utf8)
    guard bytes[index...].starts(with: text) else { return false }
    index += text.count
    return true
  }

  private mutating func skip(past text: String) throws(PropertyListDefect) {
    let text = Array(text.utf8)
    while index < bytes.count {
      if bytes[index] == text[0], bytes[index...].starts(with: text) {
        index += text.count
        return
      }
      index += 1
    }
    throw defect("The file ends within an element.")
  }

  private func defect(_ reason: String) -> PropertyListDefect {
    PropertyListDefect(reason, line: bytes.prefix(index).count { $0 == UInt8(ascii: "\n") } + 1)
  }
}

extension String {
  /// The text for a message, cut and quoted.
  var shown: String { String(prefix(60)).debugDescription + (count > 60 ? "…" : "") }
}
