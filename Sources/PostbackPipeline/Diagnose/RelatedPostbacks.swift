package import SKAdNetwork
internal import Signatures

/// Finds postbacks that belong together: with one signature, and of one transaction with several values.
///
/// Holds what each postback says, some kilobyte: meant for rejects that somebody looks at.
package struct RelatedPostbacks: Sendable {
  /// Postbacks that belong together.
  package struct Group: Sendable, Equatable {
    /// The numbers under which they were added, in that order; at least two.
    package var members: [Int]
    /// The fields that they do not agree on, with what each member has. A nil is an absent field.
    package var differences: [Difference]
  }

  /// A field that a group does not agree on.
  package struct Difference: Sendable, Equatable {
    /// The field.
    package var field: Field
    /// What each member has.
    package var values: [String?]
  }

  private var values: [[Field: String]] = []
  private var numbers: [Int] = []
  private var bySignature: [[UInt8]: [Int]] = [:]
  private var byTransaction: [[String]: [Int]] = [:]

  /// Nothing added.
  package init() {}

  /// Adds a postback, bare or in its envelope, under a number of the caller's; what cannot be read is in no group.
  package mutating func add(_ record: [UInt8], as number: Int) {
    guard let arrived = ArrivedPostback(record) else { return }
    let index = numbers.count
    numbers.append(number)
    values.append(arrived.values.merging(arrived.unsigned) { signed, _ in signed })
    if let signature = arrived.signatures.first {
      // Anybody can make n - s of an s: r is what tells a signature from another.
      bySignature[Array(signature.raw.prefix(signature.curve.fieldByteCount)), default: []].append(index)
    }
    let isSKAdNetwork = arrived.framework == .skAdNetwork
    if let transaction = arrived.values[isSKAdNetwork ? .transactionID : .postbackIdentifier] {
      let network = arrived.values[isSKAdNetwork ? .adNetworkID : .adNetworkIdentifier] ?? ""
      let window = arrived.values[.postbackSequenceIndex] ?? "0"
      byTransaction[[arrived.framework.rawValue, network, transaction, window], default: []].append(index)
    }
  }

  /// Postbacks with the same signature, in the order of their first.
  package var ofOneSignature: [Group] { groups(bySignature.values) }

  /// Postbacks of the same ad network, transaction and window that do not say the same, in the order of their first.
  package var ofOneTransaction: [Group] { groups(byTransaction.values).filter { !$0.differences.isEmpty } }

  private func groups(_ groups: some Sequence<[Int]>) -> [Group] {
    groups.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }.map { group in
      Group(
        members: group.map { numbers[$0] },
        differences: Field.allCases.compactMap { field in
          let values = group.map { self.values[$0][field] }
          return Set(values).count > 1 ? Difference(field: field, values: values) : nil
        }
      )
    }
  }
}
