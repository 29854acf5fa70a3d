import Foundation
import JSON
import TestSupport
import Testing

/// `postback refresh`, whose folder of conversion models changes from one night to the next.
@Suite struct RefreshModelTests {
  private let folder: TemporaryFolder
  private var configuration: String { folder.path("postback.json") }
  private let model = "models/525463029.json"

  init() throws {
    folder = try TemporaryFolder()
    let text = """
      {"inputs": ["\(Fixtures.path("postbacks"))"], "out": "\(folder.path("out"))", "models": ["\(folder.path("models"))"]}
      """
    try folder.makeFile("postback.json", holding: Array(text.utf8))
    try FileManager.default.copyItem(atPath: Fixtures.path("models"), toPath: folder.path("models"))
  }

  private func refresh(_ options: [String] = []) async throws -> (status: Int32, text: String) {
    let result = try await BuiltCommand.run(["refresh", "--config", configuration] + options)
    return (result.status, result.text + result.errorText)
  }

  @Test func `changes nothing if a model is in no file any more, unless that is meant`() async throws {
    #expect(try await refresh().status == 0)
    let tables = try folder.files(below: "out")
    try FileManager.default.removeItem(atPath: folder.path(model))
    let settle = ["settle", folder.path("out"), "--models", folder.path("models")]
    for command in [["refresh", "--config", configuration], settle] {
      let result = try await BuiltCommand.run(command)
      #expect(result.status == 65, "\(command): \(result.errorText)")
      let names = "revenue@1 of app 525463029, revenue@2 of app 525463029"
      let reason = "models that are in no file any more: \(names). They stay"
      #expect(result.errorText.contains(reason) && result.errorText.contains("--replace"), "\(result.errorText)")
      // A run without the model was not begun.
      #expect(!result.errorText.contains("was removed"), "\(result.errorText)")
    }
    #expect(try folder.files(below: "out").filter { !$0.contains(".lock") } == tables.filter { !$0.contains(".lock") })
    let meant = try await refresh(["--replace"])
    #expect(meant.status == 0 && meant.text.contains("decode the values of all postbacks anew"), "\(meant.text)")
    let again = try await refresh()
    #expect(again.status == 0 && again.text.contains("settle  current"), "\(again.text)")
  }

  @Test func `takes another version of a model, and says that values change`() async throws {
    #expect(try await refresh().status == 0)
    let text = String(decoding: try folder.contents(of: model), as: UTF8.self)
    try folder.makeFile(model, holding: Array(text.replacing(#""version": 2,"#, with: #""version": 99,"#).utf8))
    let later = try await refresh()
    let change = "The values and the revenue of the postbacks that these have decoded change."
    #expect(later.status == 0 && later.text.contains("without revenue@2 of app 525463029. \(change)"), "\(later.text)")
    // The version before is valid in all of the time of this one.
    try folder.makeFile(model, holding: Array(text.utf8))
    let back = try await refresh()
    #expect(back.status == 0 && back.text.contains("without revenue@99 of app 525463029. \(change)"), "\(back.text)")
  }
}
