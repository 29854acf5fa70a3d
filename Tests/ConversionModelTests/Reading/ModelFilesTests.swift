import Base
import Glibc
import Testing

@testable import ConversionModel

@Suite struct ModelFilesTests {
  /// Runs a test with a temporary directory of files.
  private func withDirectory(_ files: [String: String], _ body: (String) throws -> Void) throws {
    var template = Array("/tmp/models.XXXXXX".utf8CString)
    try #require(unsafe mkdtemp(&template) != nil)
    let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    for (name, text) in files {
      let file = try unsafe #require(fopen("\(directory)/\(name)", "w"))
      unsafe fputs(text, file)
      unsafe fclose(file)
    }
    defer {
      for name in files.keys { unsafe unlink("\(directory)/\(name)") }
      unsafe rmdir(directory)
    }
    try body(directory)
  }

  private func problems(_ paths: String...) throws -> [ModelProblem] {
    try #require(throws: ModelErrors.self) { try Models(loading: paths) }.problems
  }

  private static let fixtures = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

  @Test func `the model files that come with the project load`() throws {
    let models = try Models(loading: ["/\(Self.fixtures)/Fixtures/models"])
    #expect(models.appIDs == [525_463_029, 1_176_027_022, 1_661_087_323, 6_740_000_001, 10_738_027_756])
    #expect(models.models(for: 525_463_029).map(\.label.description) == ["revenue@1", "revenue@2"])
    #expect(models.models(for: 1_661_087_323).map(\.bundleID) == ["com.example.puzzle"])
    #expect(models.models(for: 7).isEmpty)
    for (day, estimate) in [("2026-02-01", "17.5"), ("2026-04-01", "8.75")] {
      let decoding = models.decode(
        ReceivedConversion(
          appID: 525_463_029,
          family: .skadnetwork4,
          fineValue: 20,
          receivedAt: Timestamp("\(day)T00:00:00Z")
        )
      )
      #expect(decoding.revenue?.estimate.description == estimate)
      #expect(decoding.events.map(\.name) == ["sign_up", "purchase"])
    }
  }

  @Test func `every json file of a directory is loaded, in the order of names`() throws {
    let good = ModelText.model(windows: ModelText.window(""))
    try withDirectory(["b.json": "{", "a.json": "[7]", ".hidden.json": "{", "c.txt": "{", "d.json": good]) {
      directory throws in
      for path in [directory, directory + "/"] {
        #expect(try problems(path).map(\.file) == ["\(directory)/a.json", "\(directory)/b.json"])
      }
      #expect(try Models(loading: ["\(directory)/d.json"]).appIDs == [1])
    }
  }

  @Test func `a directory without models is refused`() throws {
    try withDirectory(["a.txt": ""]) { directory throws in
      #expect(try problems(directory).map(\.pointer) == [""])
    }
  }

  @Test func `all unreadable files are reported at once`() throws {
    let problems = try problems("/nowhere/m.json", "", "/dev/zero")
    #expect(
      problems.map(\.description) == [
        "/nowhere/m.json: The path cannot be read: No such file or directory.",
        "The path cannot be read: No such file or directory.",
        "/dev/zero: The file is larger than 16 MiB. Split it into smaller files.",
      ]
    )
  }

  @Test func `what is not read of a directory is named`() throws {
    let files = ["A.JSON": "", "a.json": "", "b.txt": "", ".c.JSON": "", "d.Json": ""]
    try withDirectory(files) { directory throws in
      unsafe mkdir("\(directory)/old.json", 0o700)
      unsafe mkdir("\(directory)/.git", 0o700)
      defer {
        unsafe rmdir("\(directory)/old.json")
        unsafe rmdir("\(directory)/.git")
      }
      let names = ["A.JSON", "d.Json", "old.json"].map { "\(directory)/\($0)" }
      #expect(Models.unreadEntries(of: directory) == names)
      #expect(Models.unreadEntries(of: "\(directory)/a.json").isEmpty)
    }
  }

  @Test func `a model that is given twice is called so`() throws {
    try withDirectory(["a.json": ModelText.model(windows: ModelText.window(""))]) { directory throws in
      let problems = try problems(directory, "\(directory)/a.json")
      let place = "revenue@1 of app 1 is there already, in \(directory)/a.json."
      #expect(problems.map(\.reason) == ["\(place) It is the same model, given twice. Give it once."])
    }
  }

  @Test func `a version of a model may exist only once`() throws {
    let window = ModelText.window("")
    let one = ModelText.model(to: #""2026-01-01T00:00:00Z""#, windows: window)
    let two = ModelText.model(from: #""2026-01-01T00:00:00Z""#, windows: window)
    try withDirectory(["a.json": one, "b.json": "[\(two)]"]) { directory throws in
      let problems = try problems(directory)
      #expect(problems.map(\.file) == ["\(directory)/b.json"])
      #expect(problems.map(\.pointer) == ["/0/version"])
      #expect(problems[0].reason.contains("revenue@1 of app 1 is there already, in \(directory)/a.json"))
    }
  }

  @Test(arguments: [
    ("null", "null"), (#""2026-02-01T00:00:00Z""#, "null"), ("null", #""2025-01-01T00:00:00.001Z""#),
    (#""2025-06-01T00:00:00Z""#, #""2025-07-01T00:00:00Z""#), (#""2025-12-31T23:59:59.999Z""#, "null"),
  ])
  func `models that overlap are both named`(_ from: String, _ to: String) throws {
    let window = ModelText.window("")
    let one = ModelText.model(from: #""2025-01-01T00:00:00Z""#, to: #""2026-01-01T00:00:00Z""#, windows: window)
    let other = ModelText.model(id: "other", from: from, to: to, windows: window)
    let isApart = from.contains("2026-02")
    try withDirectory(["a.json": one, "b.json": other]) { directory throws in
      guard !isApart else {
        #expect(try Models(loading: [directory]).models(for: 1).count == 2)
        return
      }
      let problem = try #require(try problems(directory).first)
      #expect(problem.pointer == "/effective_from")
      for name in ["revenue@1", "other@1", from == "null" ? "b.json" : "a.json"] {
        #expect(problem.description.contains(name))
      }
    }
  }

  @Test func `a long model that overlaps several others is reported with each`() throws {
    let spans = [
      ("null", "null"), (#""2025-01-01T00:00:00Z""#, #""2025-02-01T00:00:00Z""#), (#""2026-01-01T00:00:00Z""#, "null"),
    ]
    let texts = spans.enumerated().map { index, span in
      ModelText.model(version: index + 1, from: span.0, to: span.1, windows: ModelText.window(""))
    }
    let errors = try #require(throws: ModelErrors.self) { try ModelText.load("[\(texts.joined(separator: ","))]") }
    #expect(errors.problems.map(\.pointer) == ["/1/effective_from", "/2/effective_from"])
  }

  @Test func `spans that meet do not overlap, nor do those of different apps`() throws {
    let window = ModelText.window("")
    let change = #""2026-01-01T00:00:00Z""#
    let texts = [
      ModelText.model(to: change, windows: window), ModelText.model(version: 2, from: change, windows: window),
      ModelText.model(app: 2, windows: window),
    ]
    let models = try ModelText.load("[\(texts.joined(separator: ","))]")
    #expect(models.models(for: 1).map(\.label.version) == [1, 2])
    #expect(models.appIDs == [1, 2])
  }

  @Test func `a model with other defects is still compared with the others`() throws {
    let texts = [ModelText.model(windows: "7"), ModelText.model(version: 2, windows: ModelText.window(""))]
    let errors = try #require(throws: ModelErrors.self) { try ModelText.load("[\(texts.joined(separator: ","))]") }
    #expect(errors.problems.map(\.pointer) == ["/0/windows/0", "/1/effective_from"])
  }
}
