internal import Foundation

/// An answer of the conversion value API.
struct ServerAnswer {
  /// A member of the answer. Servers write numbers also as strings, and no value as an empty string.
  private enum Member: Decodable, Equatable {
    case absent
    case boolean(Bool)
    case integer(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let boolean = try? container.decode(Bool.self) {
        self = .boolean(boolean)
      } else if let integer = try? container.decode(Int.self) {
        self = .integer(integer)
      } else if let text = try? container.decode(String.self) {
        self = text.isEmpty ? .absent : Int(text).map { .integer($0) } ?? .text(text)
      } else if container.decodeNil() {
        self = .absent
      } else {
        self = .text((try? container.decode(Double.self)).map { "\($0)" } ?? "an object")
      }
    }

    var text: String {
      switch self {
      case .absent: ""
      case .boolean(let boolean): "\(boolean)"
      case .integer(let integer): "\(integer)"
      case .text(let text): text
      }
    }
  }

  private let members: [String: Member]

  /// Parses a body. Throws if it is no JSON object, and if it is the answer to a request that gets no value.
  init(_ body: Data) throws(ConversionClientError) {
    guard body.count <= 65_536, let members = try? JSONDecoder().decode([String: Member].self, from: body) else {
      throw .malformedAnswer(String(decoding: body.prefix(200), as: UTF8.self))
    }
    guard members["status"] == .text("ok") else { throw .refused(members["reason"]?.text ?? "") }
    self.members = members
  }

  /// The values; nil if there are none. An answer without a window is for the `window` of the request.
  func values(default window: Int) throws(ConversionClientError) -> ConversionValues? {
    let values = ConversionValues(
      window: try integer("postback_sequence_index", in: 0...2) ?? window,
      fineValue: try integer("conversion_value", in: 0...63),
      coarseValue: try integer("skan_updated_coarse_value", in: 0...2).flatMap(CoarseConversionValue.init),
      locksWindow: try isTrue("skan_updated_lock_window_value")
    )
    return values.fineValue == nil && values.coarseValue == nil ? nil : values
  }

  private func integer(_ name: String, in range: ClosedRange<Int>) throws(ConversionClientError) -> Int? {
    switch members[name] ?? .absent {
    case .absent: return nil
    case .integer(let integer) where range.contains(integer): return integer
    case let other: throw .illegalValue(name: name, value: other.text)
    }
  }

  private func isTrue(_ name: String) throws(ConversionClientError) -> Bool {
    switch members[name] ?? .absent {
    case .absent, .boolean(false), .integer(0), .text("false"): return false
    case .boolean(true), .integer(1), .text("true"): return true
    case let other: throw .illegalValue(name: name, value: other.text)
    }
  }
}
