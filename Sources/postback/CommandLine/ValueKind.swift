internal import Base

/// A kind of values that options have: how a text is read, and the message about a text that is none.
struct ValueKind<Value: Sendable>: Sendable {
  /// Reads the value of an option with this name.
  let read: @Sendable (_ text: String, _ option: String) throws -> Value

  /// Creates a kind with the words for a valid value, and a function that returns nil for a text that is none.
  init(_ expected: String, _ parse: @escaping @Sendable (String) -> Value?) {
    read = { text, option in
      if let value = parse(text) { return value }
      throw CommandFailure(.usage, "The value of \(option) is \(text). It must be \(expected).")
    }
  }

  /// Creates a kind with a function that says itself why a text is none.
  init(throwing parse: @escaping @Sendable (String) throws -> Value) {
    read = { text, _ in try parse(text) }
  }

  /// Creates the kind of texts that name something.
  private init(advice: String) where Value == String {
    read = { text, option in
      if !text.isEmpty { return text }
      throw CommandFailure(.usage, "The value of \(option) is empty. \(advice)")
    }
  }
}

extension ValueKind<String> {
  /// Any text.
  static var text: Self { Self("a text") { $0 } }

  /// The path of a folder.
  static var folder: Self { Self(advice: "Give a folder.") }

  /// The path of a file.
  static var file: Self { Self(advice: "Give a file.") }
}

extension ValueKind<Int> {
  /// An integer in a range.
  static func integer(in range: ClosedRange<Int>) -> Self {
    Self("an integer from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension ValueKind<Int64> {
  /// The id of an app.
  static var appID: Self { Self("an App Store id") { Int64($0) } }
}

extension ValueKind<Double> {
  /// A share of a whole.
  static var share: Self { Self("a share from 0 to 1") { Double($0).flatMap { (0...1).contains($0) ? $0 : nil } } }
}

extension ValueKind<Timestamp> {
  /// A time; a date means the start of its day in UTC.
  static var time: Self {
    Self("a date or a time, such as 2026-03-10 or 2026-03-10T00:00:00Z") { Timestamp(dateOrTime: $0) }
  }
}

extension ValueKind<Int64> {
  /// A date, as days since 1970.
  static var day: Self {
    Self("a date such as 2026-03-01") { $0.utf8.count == 10 ? Timestamp(dateOrTime: $0)?.daysSince1970 : nil }
  }
}

extension ValueKind<Duration> {
  /// A number of days, such as 400d.
  static func days(in range: ClosedRange<Int> = 1...36_500) -> Self {
    Self("a number of days from \(range.lowerBound) to \(range.upperBound), such as 400d") { text in
      guard text.hasSuffix("d"), let days = Int(text.dropLast()), range.contains(days) else { return nil }
      return .seconds(days * 86_400)
    }
  }
}

extension ValueKind<[String]> {
  /// Some of these names, joined by commas.
  static func list(of names: [String]) -> Self {
    Self("a list of \(names.joined(separator: ", "))") { text in
      let list = text.split(separator: ",").map(String.init)
      return list.allSatisfy(names.contains) ? list : nil
    }
  }
}

extension ValueKind where Value: RawRepresentable<String> & CaseIterable {
  /// The name of a case.
  static var word: Self {
    let words = Value.allCases.map(\.rawValue)
    let others = words.dropLast().joined(separator: ", ")
    return Self(([others].filter { !$0.isEmpty } + words.suffix(1)).joined(separator: " or ")) { Value(rawValue: $0) }
  }
}
