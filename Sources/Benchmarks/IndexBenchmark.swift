internal import Base
internal import Ledger
internal import PostbackVerification
internal import SKAdNetwork
internal import Signatures

/// The costs of the deduplication index, measured in a separate process so that its memory can be determined.
enum IndexBenchmark {
  /// Runs this program in a further process to measure an index of `keys` keys.
  static func measures(keys: Int, _ program: String) throws -> [Measure] {
    let run = try ProcessRun([program, Options.indexKeysName, "\(keys)"])
    let numbers = run.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard numbers.count == 5 else { throw BenchmarkFailure("the index was not measured: \(run.output)") }
    let millions = keys % 1_000_000 == 0 ? "\(keys / 1_000_000) M keys" : "\(keys) keys"
    func measure(_ id: String, _ title: String, _ number: Int, _ unit: Measure.Unit) -> Measure {
      Measure("index.\(keys).\(id)", "\(millions): \(title)", numbers[number], unit)
    }
    return [
      measure("insert", "insert", 0, .nanoseconds),
      measure("lookup", "lookup", 1, .nanoseconds),
      Measure("index.\(keys).both", "\(millions): insert and lookup", numbers[0] + numbers[1], .nanoseconds),
      measure("stall", "longest single insert", 2, .milliseconds),
      measure("memory", "memory a key", 3, .bytes),
      Measure("index.\(keys).rebuild", "\(millions): rebuild, a million at a time", 1e9 / numbers[4], .perSecond),
    ]
  }

  /// Measures an index in this process. Returns the numbers as text, for the process that started this one: the mean times to
  /// insert a new key into an index that starts empty, and to find one, in nanoseconds; the longest time of an insert in
  /// milliseconds; the memory for each key in bytes; and the mean time for each key when the index is rebuilt from its log.
  static func text(keys: Int) throws -> String {
    var index = RecentIndex()
    var chunk = KeyChunk()
    let before = try Machine.memory("VmRSS")
    let insert = try admitAll(keys, to: &index, &chunk, .first)
    let memory = Double(try Machine.memory("VmRSS") - before) / Double(keys)
    let lookup = try admitAll(keys, to: &index, &chunk, .identical)
    // Another, as looking at the clock for each key takes about as long as the insert.
    index = RecentIndex()
    let stall = longestInsert(keys, to: &index, &chunk)
    return "\(insert) \(lookup) \(stall) \(memory) \(try restoreAll(keys))"
  }

  /// Returns the nanoseconds for each key, without the time to make the keys.
  private static func admitAll(
    _ keys: Int,
    to index: inout RecentIndex,
    _ chunk: inout KeyChunk,
    _ expected: RecentIndex.Admission
  ) throws -> Double {
    var generator = SplitMix64(seed: 1)
    var time = Duration.zero
    var matches = 0
    for start in stride(from: 0, to: keys, by: KeyChunk.size) {
      chunk.fill(&generator)
      let count = min(KeyChunk.size, keys - start)
      let begin = ContinuousClock.now
      index.prepare(for: Array(chunk.keys[..<count]))
      for position in 0..<count
      where index.admit(chunk.seen(position)) == expected {
        matches += 1
      }
      time += ContinuousClock.now - begin
    }
    guard matches == keys else { throw BenchmarkFailure("the index took \(keys - matches) keys for what they are not") }
    return time / .nanoseconds(1) / Double(keys)
  }

  /// Returns the nanoseconds for each key to rebuild an index, a million keys at a time.
  private static func restoreAll(_ keys: Int) throws -> Double {
    var index = RecentIndex(expecting: keys)
    var generator = SplitMix64(seed: 3)
    var chunk = KeyChunk()
    var time = Duration.zero
    var rest = keys
    while rest > 0 {
      var seen: [RecentIndex.Seen] = []
      while seen.count < min(rest, 1 << 20) {
        chunk.fill(&generator)
        for position in 0..<min(KeyChunk.size, min(rest, 1 << 20) - seen.count) {
          seen.append(chunk.seen(position))
        }
      }
      let begin = ContinuousClock.now
      index.restore(seen)
      time += ContinuousClock.now - begin
      rest -= seen.count
    }
    guard index.count == keys else { throw BenchmarkFailure("the index has \(index.count) of \(keys) keys") }
    return time / .nanoseconds(1) / Double(keys)
  }

  private static func longestInsert(_ keys: Int, to index: inout RecentIndex, _ chunk: inout KeyChunk) -> Double {
    var generator = SplitMix64(seed: 2)
    var longest = Duration.zero
    for start in stride(from: 0, to: keys, by: KeyChunk.size) {
      chunk.fill(&generator)
      var last = ContinuousClock.now
      for position in 0..<min(KeyChunk.size, keys - start) {
        _ = index.admit(chunk.seen(position))
        let now = ContinuousClock.now
        longest = max(longest, now - last)
        last = now
      }
    }
    return longest / .milliseconds(1)
  }
}

/// The keys of one batch of postbacks, made before the time is measured.
struct KeyChunk {
  static let size = 1 << 10

  private(set) var keys: [PostbackKey]
  private(set) var digests: [SHA256Digest]
  private let unsigned = UnsignedFields(bits: 0x2A, number: nil)

  init() {
    let digest = SHA256Digest(InlineArray(repeating: 0))
    digests = Array(repeating: digest, count: Self.size)
    keys = Array(repeating: PostbackKey(digest), count: Self.size)
  }

  /// Returns the entry of a key.
  func seen(_ position: Int) -> RecentIndex.Seen {
    RecentIndex.Seen(keys[position], digests[position], unsigned, resend: keys[position].low)
  }

  /// Makes the next keys of a seed.
  mutating func fill(_ generator: inout SplitMix64) {
    for position in 0..<Self.size {
      var bytes = InlineArray<32, UInt8>(repeating: 0)
      for start in stride(from: 0, to: 16, by: 8) {
        var word = generator.next()
        for offset in 0..<8 {
          bytes[start + offset] = UInt8(truncatingIfNeeded: word)
          word >>= 8
        }
      }
      digests[position] = SHA256Digest(bytes)
      keys[position] = PostbackKey(digests[position])
    }
  }
}
