internal import Base
internal import SKAdNetwork

/// A defect of a query, as a sentence that begins with the name of the parameter.
struct ViewDefect: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// The parameters of an address, in order.
struct ViewParameters: Sendable {
  private let pairs: [(name: String, value: String)]
  /// The text of the query as it was sent.
  let text: String

  /// The largest number of parameters.
  private static let most = 200

  init(_ query: String) throws(ViewDefect) {
    text = query
    pairs = QueryParameter.pairs(in: Array(query.utf8)[...])
    guard pairs.count <= Self.most else {
      throw ViewDefect("query: The address has more than \(Self.most) parameters.")
    }
  }

  private init(_ pairs: [(name: String, value: String)], _ text: String) { (self.pairs, self.text) = (pairs, text) }

  /// The parameters without some.
  func without(_ names: Set<String>) -> ViewParameters {
    ViewParameters(pairs.filter { !names.contains($0.name) }, text)
  }

  /// The value of a parameter, the last one if it is repeated; nil if it is absent.
  subscript(name: String) -> String? { pairs.last { $0.name == name }?.value }

  /// All values of a parameter.
  func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

  /// Throws if there is a parameter with another name.
  func allow(_ names: Set<String>) throws(ViewDefect) {
    guard let other = pairs.first(where: { !names.contains($0.name) }) else { return }
    let known = names.isEmpty ? "There are none here" : "Those here are \(names.sorted().joined(separator: ", "))"
    throw ViewDefect("\(other.name.quotedExcerpt): There is no such parameter. \(known).")
  }

  /// One of some words; nil if the parameter is absent.
  func word(_ name: String, of words: [String]) throws(ViewDefect) -> String? {
    guard let value = self[name] else { return nil }
    guard words.contains(value) else {
      throw ViewDefect("\(name): The value must be one of \(words.joined(separator: ", ")).")
    }
    return value
  }

  /// An integer in a range; nil if the parameter is absent.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(ViewDefect) -> Int? {
    guard let value = self[name] else { return nil }
    guard let number = Int(value), range.contains(number) else {
      throw ViewDefect("\(name): The value must be an integer from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// A day, as the number of days since 1970-01-01; nil if the parameter is absent.
  func day(_ name: String) throws(ViewDefect) -> Int32? {
    guard let value = self[name], !value.isEmpty else { return nil }
    guard value.utf8.count == 10, let time = Timestamp("\(value)T00:00:00Z") else {
      throw ViewDefect("\(name): The value must be a day such as 2026-02-01.")
    }
    return Int32(clamping: time.daysSince1970)
  }

  /// A time, or the beginning of a day, in milliseconds since 1970; nil if the parameter is absent.
  func time(_ name: String) throws(ViewDefect) -> Int64? {
    guard let value = self[name], !value.isEmpty else { return nil }
    guard let time = Timestamp(dateOrTime: value) else {
      throw ViewDefect("\(name): The value must be a day such as 2026-02-01, or a time such as 2026-02-01T10:00:00Z.")
    }
    return time.milliseconds
  }
}
