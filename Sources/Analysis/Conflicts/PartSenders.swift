internal import PostbackPipeline
internal import PostbackVerification
internal import DerivedTables
internal import TableReading

/// The senders of the accepted postbacks of a part by key, among which those of first copies are found.
struct PartSenders: Sendable {
  /// For each postback the upper 96 bits of its key, a digest, and in the lower 32 the place of its sender.
  private var postbacks: [UInt128] = []
  /// The channels and the forwarders.
  private var senders: [GroupKey] = []
  private var places: [GroupKey: UInt32] = [:]

  /// Indicates that there are no postbacks.
  var isEmpty: Bool { postbacks.isEmpty }

  /// Adds a postback with its channel and its forwarder.
  mutating func add(_ key: PostbackKey, from sender: GroupKey) {
    postbacks.append(UInt128(key) & Self.keyBits | UInt128(place(of: sender)))
  }

  /// Adds postbacks that come later.
  mutating func merge(_ later: PartSenders) {
    let places = later.senders.map { UInt128(place(of: $0)) }
    postbacks += later.postbacks.map { $0 & Self.keyBits | places[Int($0 & ~Self.keyBits)] }
  }

  private static let keyBits = ~UInt128(UInt32.max)

  private mutating func place(of sender: GroupKey) -> UInt32 {
    if let place = places[sender] { return place }
    let place = UInt32(senders.count)
    senders.append(sender)
    places[sender] = place
    return place
  }

  /// Returns the postbacks that have one of some keys, which are in order.
  func firsts(among keys: [PostbackKey]) -> [ConflictReader.First] {
    let origins = senders.map { sender in
      let values = sender.values
      return CopyOrigin(channel: values[0], forwarder: values[1])
    }
    var found: [ConflictReader.First] = []
    var place = 0
    for postback in postbacks.sorted() {
      let high = UInt64(postback >> 64)
      let low = UInt64(truncatingIfNeeded: postback & Self.keyBits)
      while place < keys.count, (keys[place].high, keys[place].low & ~UInt64(UInt32.max)) < (high, low) { place += 1 }
      guard place < keys.count else { break }
      guard keys[place].high == high, keys[place].low & ~UInt64(UInt32.max) == low else { continue }
      let origin = origins[Int(postback & ~Self.keyBits)]
      found.append((keys[place], ConflictTable.First(origin: origin, matches: true)))
    }
    return found
  }
}

extension PartSenders {
  /// Keeps the senders with a name.
  func add(to cache: PartCache, as name: String) throws(PipelineFailure) {
    var writer = ResultWriter()
    writer.append(senders) { $0.append($1.bytes[...]) }
    try cache.add(Self.senders(of: name), writer.bytes)
    try cache.add(name, postbacks.sorted())
  }

  /// Returns the senders with a name; nil if they are not there as they were written.
  init?(_ name: String, in cache: PartCache) throws(PipelineFailure) {
    guard let bytes = try cache.read(Self.senders(of: name), UInt8.self),
      let postbacks = try cache.read(name, UInt128.self)
    else { return nil }
    var reader = ResultReader(bytes)
    senders = reader.array { GroupKey(bytes: Array($0.slice())) }
    self.postbacks = postbacks
  }

  /// The names of the files of a name.
  static func files(of name: String) -> [String] { [name, senders(of: name)] }

  private static func senders(of name: String) -> String { "\(name)-parties" }
}
