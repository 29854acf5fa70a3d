public import Foundation

/// The storage of the client's state: about 30 values under the names that docs/client.md lists.
///
/// The client reports any error of its functions as `storage`.
public protocol KeyValueStore: Sendable {
  /// Returns the values of these keys, as far as they are stored.
  func load(_ keys: [String]) throws -> [String: StoredValue]

  /// Stores these values, all of them or, where it throws, none; a key with nil is removed.
  func save(_ changes: [String: StoredValue?]) throws
}

/// A value in the storage.
public enum StoredValue: Hashable, Sendable {
  /// A whole number.
  case integer(Int)
  /// A text.
  case text(String)
  /// Amounts in whole units of their currency by ISO 4217 code, such as 9.99 for `USD`.
  case amounts([String: Decimal])
}

/// The user defaults of the app, where published clients keep their state: whole numbers, strings, and dictionaries of
/// amounts.
public struct UserDefaultsStore: KeyValueStore {
  private let suite: String?

  /// The defaults of a suite, or the standard ones.
  public init(suite: String? = nil) { self.suite = suite }

  private var defaults: UserDefaults { suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard }

  /// Returns the values of these keys, as far as they are stored.
  public func load(_ keys: [String]) -> [String: StoredValue] {
    let defaults = defaults
    var values: [String: StoredValue] = [:]
    for key in keys { values[key] = defaults.object(forKey: key).flatMap(StoredValue.init(propertyList:)) }
    return values
  }

  /// Stores these values; a key with nil is removed.
  public func save(_ changes: [String: StoredValue?]) {
    let defaults = defaults
    for (key, value) in changes {
      if let value { defaults.set(value.propertyList, forKey: key) } else { defaults.removeObject(forKey: key) }
    }
  }
}

/// A file with a JSON object, replaced as a whole with each change.
public struct FileStore: KeyValueStore {
  private let file: URL

  /// A store in this file, which need not exist.
  public init(_ file: URL) { self.file = file }

  /// Returns the values of these keys, as far as they are stored.
  public func load(_ keys: [String]) throws -> [String: StoredValue] { try all().filter { keys.contains($0.key) } }

  /// Stores these values; a key with nil is removed.
  public func save(_ changes: [String: StoredValue?]) throws {
    var values = try all()
    for (key, value) in changes { values[key] = value }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    try encoder.encode(values).write(to: file, options: .atomic)
  }

  private func all() throws -> [String: StoredValue] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
    return try JSONDecoder().decode([String: StoredValue].self, from: Data(contentsOf: file))
  }
}

// MARK: - Property lists, as published clients write them

extension StoredValue {
  /// The value of an object of a property list; nil for objects that the state does not have.
  init?(propertyList object: Any) {
    if let text = object as? String {
      self = .text(text)
    } else if let amounts = object as? [String: Any] {
      self = .amounts(amounts.compactMapValues(Decimal.init(propertyList:)))
    } else if let number = Decimal(propertyList: object) {
      self = .integer(Int(truncating: NSDecimalNumber(decimal: number)))
    } else {
      return nil
    }
  }

  /// The object of a property list: a number, a string, or a dictionary with numbers.
  var propertyList: Any {
    switch self {
    case .integer(let integer): integer
    case .text(let text): text
    case .amounts(let amounts): amounts.mapValues(\.propertyList)
    }
  }
}

extension Decimal {
  /// The decimal of a number or of a string of digits.
  ///
  /// Published clients add in 32-bit floating point. The shortest decimal of the number in its own precision is the
  /// amount that was meant: 15.53 for 15.529999732971191.
  fileprivate init?(propertyList object: Any) {
    let text: String
    switch object {
    case let string as String: text = string
    case let number as NSNumber: text = number.doubleValue.shortestDecimal
    // Outside of Apple's systems, numbers are not always boxed.
    case let double as Double: text = double.shortestDecimal
    case let float as Float: text = Double(float).shortestDecimal
    case let integer as Int: text = "\(integer)"
    default: return nil
    }
    guard let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), decimal.isFinite else {
      return nil
    }
    self = decimal
  }

  /// A number, or a string if a number in 64-bit floating point would not be exact.
  fileprivate var propertyList: Any {
    guard let double = Double("\(self)"), Decimal(propertyList: double) == self else { return "\(self)" }
    return double
  }
}

extension Double {
  /// The shortest decimal of the number, in 32-bit precision if that has the same number.
  fileprivate var shortestDecimal: String {
    let single = Float(self)
    return magnitude < 1e7 && Double(single) == self ? "\(single)" : "\(self)"
  }
}

// MARK: - JSON

extension StoredValue: Codable {
  /// Reads a JSON number, string, or object with amounts.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let integer = try? container.decode(Int.self) {
      self = .integer(integer)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else {
      self = .amounts(try container.decode([String: Decimal].self).mapValues(\.roundedToMicros))
    }
  }

  /// Writes a JSON number, string, or object with amounts.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .integer(let integer): try container.encode(integer)
    case .text(let text): try container.encode(text)
    case .amounts(let amounts): try container.encode(amounts)
    }
  }
}
