internal import PostbackVerification

/// The lines of records: one text, or a text for each partition by which another program distributes them.
///
/// A record belongs to the partition of the first 8 digits of its key as a number, modulo the number of partitions. So all
/// copies of a postback are in the same one, and each has its lines in the order of the inputs.
struct RecordBlocks {
  private var texts: [RecordText]
  /// Indicates that a head stands before each text.
  private let hasHeads: Bool
  /// The number of bytes at which a text is written.
  private let limit: Int

  /// Makes texts for so many partitions; nil for one text without heads.
  init(partitions: Int?) {
    texts = Array(repeating: RecordText(capacity: 0), count: partitions ?? 1)
    hasHeads = partitions != nil
    // All of them take 16 MiB at most, as far as blocks do not get tiny by that.
    limit = min(max((16 << 20) / texts.count, 16 << 10), 1 << 20)
  }

  /// Appends the line of a record, and writes the text that is full.
  mutating func append(
    _ key: PostbackKey?,
    _ record: RecordPlace,
    text: Span<UInt8>,
    _ defect: FramingDefect?,
    _ write: ([UInt8]) throws -> Void
  ) throws {
    // What has no key has no copies: it goes anywhere.
    let number = key.map { Int($0.high >> 32) } ?? record.line
    let partition = number % texts.count
    texts[partition].append(key, record, text: text, defect)
    if texts[partition].bytes.count >= limit { try self.write(partition, write) }
  }

  /// Writes all texts.
  mutating func writeAll(_ write: ([UInt8]) throws -> Void) throws {
    for partition in texts.indices where !texts[partition].bytes.isEmpty { try self.write(partition, write) }
  }

  private mutating func write(_ partition: Int, _ write: ([UInt8]) throws -> Void) throws {
    let bytes = texts[partition].bytes
    if hasHeads { try write(Array("{\"partition\":\(partition),\"bytes\":\(bytes.count)}\n".utf8)) }
    try write(bytes)
    texts[partition] = RecordText(capacity: bytes.count)
  }
}
