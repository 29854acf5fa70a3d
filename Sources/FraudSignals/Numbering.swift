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

  /// Gives the values new numbers, in their order. Returns those, by the old ones.
  mutating func sort(by precedes: (Value, Value) -> Bool) -> [Int32] {
    let old = self
    self = Numbering()
    for value in old.values.sorted(by: precedes) { _ = number(of: value) }
    return old.values.map { number(of: $0) }
  }
}

extension Numbering: Compact where Value: Compact {
  func encode(_ writer: inout CompactWriter) { writer.append(values) }

  init(_ reader: inout CompactReader) {
    self.init()
    reader.forEach { _ = number(of: Value(&$0)) }
  }
}
