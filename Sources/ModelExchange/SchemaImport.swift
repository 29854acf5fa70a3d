package import Base
package import ConversionModel
package import JSON

/// A form of schemas that can be read.
package enum ImportForm: String, CaseIterable, Sendable {
  /// The JSON of AppsFlyer's API for ad networks, of SKAdNetwork 3 and 4.
  case appsFlyer = "appsflyer"
  /// The JSON of Adjust's mapping API for partners, of SKAdNetwork 3 and 4.
  case adjust
  /// The JSON of `CustomerSkAdNetworkConversionValueSchema` of the Google Ads API.
  case googleAds = "google-ads"
}

/// The properties of a model that its schema does not have, or that are chosen otherwise.
package struct ImportChoice: Sendable {
  package var modelID: String
  package var version: Int
  /// The first install date; nil for that of the schema.
  package var start: Timestamp?
  /// The app; nil for that of the schema.
  package var appID: Int64?
  /// The currency; nil for that of the schema.
  package var currency: String?

  /// A choice of the id and the version; the rest is that of the schema.
  package init(modelID: String, version: Int = 1) { (self.modelID, self.version) = (modelID, version) }
}

/// The models that a schema of another system was read as, and what they do not say.
package struct SchemaImport: Sendable {
  /// The model, or an array of several, as a model file has it.
  package let models: JSONValue
  /// The models as they were loaded.
  package let loaded: Models
  package let count: Int
  /// The properties that were lost, and those that were assumed.
  package let notes: ExchangeNotes

  /// Reads a schema.
  ///
  /// - Parameters:
  ///   - text: The text of the file.
  ///   - file: The path of the file, for problems.
  ///   - form: The form of the schema.
  ///   - choice: The properties of the model that the schema does not have.
  /// - Throws: All problems of the schema at once, also where a model of it could not be loaded.
  package init(_ text: [UInt8], file: String, as form: ImportForm, _ choice: ImportChoice) throws(ModelErrors) {
    var reader = SchemaReader(text, file: file)
    let root: JSONValue
    do throws(JSONDefect) { root = try JSONValue(parsing: text) } catch {
      let reason = form.advice(on: error, in: text)
      throw ModelErrors(problems: [.init(file: file, reason: reason)])
    }
    let node = JSONNode(value: root, pointer: "")
    let drafts =
      switch form {
      case .appsFlyer: reader.appsFlyerModels(node, choice)
      case .adjust: reader.adjustModel(node, choice).map { [$0] } ?? []
      case .googleAds: reader.googleAdsModel(node, choice).map { [$0] } ?? []
      }
    guard reader.problems.isEmpty else { throw ModelErrors(problems: reader.problems) }
    for draft in drafts where choice.start == nil && draft.start == nil {
      reader.notes.assume("effective_from", "The schema has no date, so the model is for all installs. Give --from.")
    }
    let models = drafts.map { $0.json(choice) }
    let json = models.count == 1 ? models[0] : JSONValue.array(models)
    do throws(ModelErrors) { loaded = try Models(parsing: Array(json.description.utf8), file: file) } catch {
      throw ModelErrors(
        problems: error.problems.map {
          let place = $0.pointer.isEmpty ? "" : " at \($0.pointer)"
          let reason = "The model of this schema is wrong\(place): \($0.reason)"
          return .init(file: file, reason: reason)
        }
      )
    }
    (self.models, count, notes) = (json, models.count, reader.notes)
  }
}

extension ImportForm {
  /// The advice on a text that is no JSON, which may be a form of the vendor whose columns are not documented.
  fileprivate func advice(on defect: JSONDefect, in text: [UInt8]) -> String {
    let first = text.first { !$0.isWhitespace }
    let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    guard self == .appsFlyer, !isJSON, !text.isEmpty else { return defect.advice(in: text) }
    return defect.advice(in: text)
      + " AppsFlyer does not document the columns of the CSV of its API for advertisers, so it is not read. Give the JSON of "
      + "the API for ad networks (/api/skad/conversion_schema)."
  }
}
