/// Numbers for values, in the order in which they come.
struct Numbering<Value: Hashable & Sendable>: Sendable {
  private(set) var values: [Value] = []
  private var numbers: [Value: Int32] = [:]

  mutating func number(of value: Value) -> Int32 {
    if let number = numbers[value] { return number }
    let number = Int32(values.count)
    values.append(value)
    numbers[value] = number
    return number
  }
}

extension Numbering: Compact where Value: Compact {
  func encode(_ writer: inout CompactWriter) { writer.append(values) { $1.encode(&$0) } }

  init(_ reader: inout CompactReader) {
    self.init()
    reader.forEach { _ = number(of: Value(&$0)) }
  }
}
