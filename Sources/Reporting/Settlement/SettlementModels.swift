package import ConversionModel
package import DurableFiles
internal import JSON
internal import Ledger
internal import PostbackPipeline
internal import Signatures

extension Models {
  /// The models that decoded the rows of a run, as the ledger in a state's folder keeps them.
  ///
  /// Models that were withdrawn count too, unless they and other models of the same app are valid at the same time.
  package init(keptIn state: String) throws(FileFailure) {
    let kept = try Ledger.keptModels(in: state)
    var texts: [String] = []
    for app in Set(kept.map(\.appID)).sorted() {
      let all = kept.filter { $0.appID == app }
      let fitAll = (try? Models(parsing: Self.array(all.map(\.text)))) != nil
      texts += (fitAll ? all : all.filter(\.isInForce)).map(\.text)
    }
    guard !texts.isEmpty else {
      self = .none
      return
    }
    do {
      try self.init(parsing: Self.array(texts), file: "\(state)/\(Ledger.name)")
    } catch {
      throw .damaged("\(state)/\(Ledger.name)", "The conversion models in it are wrong: \(error)")
    }
  }

  private static func array(_ texts: [String]) -> [UInt8] { Array("[\(texts.joined(separator: ","))]".utf8) }

  /// The SHA-256, in hexadecimal digits, of all models: of each a line with its definition as JSON, with sorted keys.
  func hexadecimalDigest() throws(LibcryptoFailure) -> String {
    var hash = try SHA256()
    return try hash.hexadecimalDigest(of: all.map { "\($0.definition.sorted)\n" }.joined())
  }
}
