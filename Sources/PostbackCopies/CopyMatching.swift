internal import TableReading

/// The copies that were found for each part of `skan_postbacks`, as they are kept from one calculation to the next.
package struct CopyMatching: Sendable {
  /// The copies of the postbacks of a part.
  struct Part: Sendable {
    /// The name of the file with the copies; empty if there are none.
    var file = ""
    /// The digest of the copies, whatever parts of the rejects they are in.
    var digest = ""
    /// The parts of the rejects with copies.
    var sources: [String] = []
  }

  /// The counts of a part of `skan_rejects`.
  package struct Rejects: Sendable, Equatable {
    /// The number of copies of accepted postbacks.
    package var copies = 0
    /// The number of those whose bodies could not be read.
    package var unreadableBodies = 0
  }

  /// The parts of `skan_rejects`, by the digests of their identities.
  var rejects: [String: Rejects] = [:]
  /// The parts of `skan_postbacks`, by the digests of their identities. All copies in `rejects` were looked for in them.
  var parts: [String: Part] = [:]

  /// Nothing was found yet.
  init() {}

  /// Reads what was kept.
  init(_ bytes: [UInt8]) {
    var reader = ResultReader(bytes)
    rejects = reader.dictionary { ($0.text(), Rejects(copies: $0.count(), unreadableBodies: $0.count())) }
    parts = reader.dictionary { reader in
      (reader.text(), Part(file: reader.text(), digest: reader.text(), sources: reader.array { $0.text() }))
    }
  }

  /// The results as bytes.
  var encoded: [UInt8] {
    var writer = ResultWriter()
    writer.append(rejects) { writer, entry in
      writer.append(entry.key)
      writer.append(entry.value.copies)
      writer.append(entry.value.unreadableBodies)
    }
    writer.append(parts) { writer, entry in
      for text in [entry.key, entry.value.file, entry.value.digest] { writer.append(text) }
      writer.append(entry.value.sources) { $0.append($1) }
    }
    return writer.bytes
  }
}
