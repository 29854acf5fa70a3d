internal import ConversionModel
internal import Ledger
internal import PostbackPipeline
internal import Signatures

/// The models of a receiver since its start. A model keeps its content, as one of a ledger does.
struct UsedModels {
  /// The digests of the meanings, by the names of the models.
  private var digests: [String: String] = [:]

  /// Adds models. Throws, and adds none, if one of them has other content than an earlier one of the same name.
  mutating func add(_ models: Models) throws(ReloadFailure) {
    let added: [RunSettings.Model]
    do throws(LibcryptoFailure) { added = try RunSettings.Model.all(of: models) } catch {
      throw ReloadFailure("\(error)")
    }
    for model in added where digests[model.name] ?? model.meaningDigest != model.meaningDigest {
      throw ReloadFailure(
        "The conversion model \(model.name) has been in use with other content since the start. Give the changed model a new "
          + "version, or restore the file."
      )
    }
    for model in added { digests[model.name] = model.meaningDigest }
  }
}
