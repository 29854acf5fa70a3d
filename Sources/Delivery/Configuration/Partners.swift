internal import DurableFiles
internal import Glibc
internal import JSON
package import PostbackServer

/// The partners of a configuration file (schemas/partners.schema.json).
package struct Partners: Sendable {
  /// The partners in the order of the file.
  package let all: [Partner]

  /// Partners without a file.
  init(_ all: [Partner]) { self.all = all }

  /// Reads a file. The error has every problem in it.
  package init(
    reading path: String,
    environment: (String) -> String? = { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
  ) throws(PartnersErrors) {
    var problems = ConfigurationProblems(file: path)
    let root: JSONNode
    let text: [UInt8]
    do throws(FileFailure) { text = try WholeFile.read(path, upTo: 4 << 20) } catch {
      throw PartnersErrors(problems: ["\(error)"])
    }
    do throws(JSONDefect) { root = JSONNode(value: try JSONValue(parsing: text), pointer: "") } catch {
      throw PartnersErrors(problems: ["\(path): \(error.advice(in: text))"])
    }
    var partners: [Partner] = []
    if problems.isObject(root, keys: Self.keys, called: "The configuration") {
      if root["partners"].value == nil { problems.note(root["partners"], "The array of partners is missing.") }
      for node in problems.list(root["partners"]) {
        guard let partner = PartnerReader.read(node, environment, &problems) else { continue }
        if partners.contains(where: { $0.id == partner.id }) {
          problems.note(node["id"], "Another partner has this id already.")
        }
        partners.append(partner)
      }
    }
    guard problems.found.isEmpty else { throw PartnersErrors(problems: problems.found) }
    all = partners
  }

  static let keys = ["partners"]
}

/// The problems of a file of partners.
package typealias PartnersErrors = ConfigurationErrors
