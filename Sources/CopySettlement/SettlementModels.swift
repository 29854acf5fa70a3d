package import Base
package import ConversionModel
package import DurableFiles
internal import Ledger
package import PostbackPipeline
package import Signatures

extension Models {
  /// The models that decoded the rows of a run, as the ledger in a state's folder keeps them, and those that the last
  /// settlement was given.
  ///
  /// For an app for which a settlement was given models these count, with those that a run had later. Models that were withdrawn
  /// count too, unless they and other models of the same app are valid at the same time.
  package init(keptIn state: String) throws(FileFailure) {
    let kept = try Ledger.recordedModels(in: state)
    let byApp = Dictionary(grouping: kept, by: \.appID).sorted { $0.key < $1.key }
    self.init(disjoint: byApp.flatMap { Self.fitting($0.value) })
  }

  /// Returns the models of one app that can be used together: of those that are valid at the same time, those with the higher rank.
  static func fitting(_ models: [RecordedModel]) -> [ConversionModel] {
    let given = models.filter(\.isOfSettlement)
    let since = given.first?.commit ?? -1
    let others = models.filter { !$0.isOfSettlement && $0.commit > since }
      .sorted { ($0.isInForce ? 1 : 0, $0.commit, $0.name) > ($1.isInForce ? 1 : 0, $1.commit, $1.name) }
    var fitting: [ConversionModel] = []
    for recorded in others + given {
      guard let model = try? Models(parsing: Array(recorded.text.utf8)).all.first,
        fitting.allSatisfy({ other in
          other.label != model.label && (other.span.precedes(model.span) || model.span.precedes(other.span))
        })
      else { continue }
      fitting.append(model)
    }
    return fitting
  }

  /// The names of the models that the last settlements were given, sorted, without those that the last run had too.
  package static func namesOfSettlement(in state: String) throws(FileFailure) -> [String] {
    let kept = try Ledger.recordedModels(in: state)
    let ofRun = kept.filter { !$0.isOfSettlement && $0.isInForce }.map(\.name)
    return Set(kept.filter(\.isOfSettlement).map(\.name)).subtracting(ofRun).sorted()
  }

  /// Throws `.incompatible` if a model has other content than the one that the ledger in a state's folder has by its name.
  package func verify(against state: String) throws(PipelineFailure) {
    let models = try ofLedger()
    do throws(FileFailure) { try Ledger.check(models, in: state) } catch { throw .state(error) }
  }

  /// Keeps the models in the ledger of a state's folder for later settlements.
  package func keep(in state: String) throws(PipelineFailure) {
    let models = try ofLedger()
    do throws(FileFailure) { try Ledger.keep(ofSettlement: models, in: state) } catch { throw .state(error) }
  }

  /// The names of the models with their versions, as the ledger has them.
  package func names() throws(PipelineFailure) -> Set<String> { Set(try ofLedger().map(\.name)) }

  /// The names of the models that may have decoded postbacks of some apps, or of all for nil, sorted: those that have begun.
  package func names(of apps: Set<Int64>?, begunBy now: Timestamp) throws(PipelineFailure) -> [String] {
    zip(all, try ofLedger())
      .filter { model, _ in apps?.contains(model.appID) ?? true && model.span.start ?? now <= now }
      .map(\.1.name).sorted()
  }

  /// Returns the names of those models whose postbacks none of these models would decode, sorted. In the place of a model are a
  /// later version of it, and a model of its app that is valid in all of its time. `state` is the folder that has their texts.
  package func lacking(_ names: Set<String>, keptIn state: String) throws(PipelineFailure) -> [String] {
    let missing = names.subtracting(try self.names())
    guard !missing.isEmpty else { return [] }
    let kept = try PipelineFailure.state { () throws(FileFailure) in try Ledger.recordedModels(in: state) }
    let lost = kept.filter { kept in
      guard missing.contains(kept.name), let old = try? Models(parsing: Array(kept.text.utf8)).all.first else {
        return false
      }
      return !models(for: old.appID).contains { new in
        new.label.modelID == old.label.modelID && new.label.version > old.label.version || new.span.contains(old.span)
      }
    }
    return Set(lost.map(\.name)).sorted()
  }

  private func ofLedger() throws(PipelineFailure) -> [RunSettings.Model] {
    do throws(LibcryptoFailure) { return try RunSettings.Model.all(of: self) } catch { throw .libcrypto(error) }
  }

  /// The SHA-256, in hexadecimal digits, of all models: of each a line with its definition as JSON, with sorted keys.
  package func hexadecimalDigest() throws(LibcryptoFailure) -> String {
    var hash = try SHA256()
    return try hash.hexadecimalDigest(of: all.map { "\($0.definition.sorted)\n" }.joined())
  }
}
