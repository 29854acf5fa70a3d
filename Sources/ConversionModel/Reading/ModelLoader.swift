internal import JSON

/// Collects the models of many files, and all problems found in them.
@available(iOS 18.0, *)
struct ModelLoader {
  private var loaded: [LocatedModel] = []
  private var problems: [ModelProblem] = []

  /// A model and the place from which it was read.
  private struct LocatedModel {
    let model: ConversionModel
    let file: String
    let pointer: String

    var place: String { pointer.isEmpty ? file : "\(file): \(pointer)" }
  }

  /// Loads a file, or all files of a directory.
  mutating func load(_ path: String) {
    do {
      for file in try ModelPath(path: path).files() { loadFile(file) }
    } catch {
      note("", error.reason, in: path)
    }
  }

  private mutating func loadFile(_ file: String) {
    do {
      load(try ModelPath(path: file).bytes(), file: file)
    } catch {
      note("", error.reason, in: file)
    }
  }

  /// Loads one text: a model, or an array of models.
  mutating func load(_ text: [UInt8], file: String) {
    let root: JSONNode
    do {
      root = JSONNode(value: try JSONValue(parsing: text), pointer: "")
    } catch {
      return note("", error.advice(in: text), in: file)
    }
    let models = root.elements ?? [root]
    if models.isEmpty { note("", "The array is empty. It must have at least one model.", in: file) }
    for node in models {
      var reader = ModelReader(file: file)
      if let model = reader.model(node) {
        loaded.append(LocatedModel(model: model, file: file, pointer: node.pointer))
      }
      problems += reader.problems
    }
  }

  /// Returns all models; throws all problems, among them two models with one identity and spans that overlap.
  consuming func models() throws(ModelErrors) -> [ConversionModel] {
    noteOverlaps(of: withoutDuplicates())
    noteSharedBundleIDs()
    guard problems.isEmpty else { throw ModelErrors(problems: problems) }
    return loaded.map(\.model)
  }

  private mutating func withoutDuplicates() -> [LocatedModel] {
    var first: [String: LocatedModel] = [:]
    var unique: [LocatedModel] = []
    for located in loaded {
      let identity = "\(located.model.label) of app \(located.model.appID)"
      if let other = first[identity] {
        note(
          located.pointer + "/version",
          "\(identity) is there already, in \(other.place). "
            + (other.model.definition == located.model.definition
              ? "It is the same model, given twice. Give it once." : "Give this one a new version."),
          in: located.file
        )
      } else {
        first[identity] = located
        unique.append(located)
      }
    }
    return unique
  }

  /// Notes, once each, the models whose spans overlap that of an earlier model of the same app.
  private mutating func noteOverlaps(of models: [LocatedModel]) {
    let byApp = Dictionary(grouping: models, by: \.model.appID)
    for appID in byApp.keys.sorted() {
      var longest: LocatedModel?
      for located in (byApp[appID] ?? []).sorted(bySpan: \.model.span) {
        let span = located.model.span
        if let other = longest, !other.model.span.precedes(span) {
          note(
            located.pointer + "/effective_from",
            "\(located.model.label) of app \(appID) applies from \(span), which overlaps \(other.model.label), "
              + "from \(other.model.span), in \(other.place). Let one end where the other begins.",
            in: located.file
          )
          if other.model.span.end.map(span.ends(by:)) ?? true { continue }
        }
        longest = located
      }
    }
  }

  /// Notes bundle ids that models of different apps share.
  private mutating func noteSharedBundleIDs() {
    var first: [String: LocatedModel] = [:]
    for located in loaded {
      guard let bundleID = located.model.bundleID else { continue }
      let other = first[bundleID] ?? located
      first[bundleID] = other
      if other.model.appID != located.model.appID {
        note(
          located.pointer + "/bundle_id",
          "\(bundleID.debugDescription) is the bundle id of app \(other.model.appID), in \(other.place). "
            + "Give each app its own.",
          in: located.file
        )
      }
    }
  }

  private mutating func note(_ pointer: String, _ reason: String, in file: String) {
    problems.append(ModelProblem(file: file, pointer: pointer, reason: reason))
  }
}
