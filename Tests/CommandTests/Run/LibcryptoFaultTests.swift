import Base
import Foundation
import Signatures
import TestSupport
import Testing

/// A library that is loaded before libcrypto and makes it fail. See `Tests/Preload/faulty_libcrypto.c`.
struct FaultyLibcrypto: Sendable {
  private let library: String
  /// The fault and the time at which it occurs.
  var fault = ""

  /// The compiled libraries; nil if there is no C compiler.
  private static let libraries: (folder: TemporaryFolder, whole: String, withoutTables: String)? = {
    guard let folder = try? TemporaryFolder() else { return nil }
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appendingPathComponent("Preload/faulty_libcrypto.c").path
    func compiled(_ name: String, _ options: [String]) -> String? {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["cc", "-O1", "-shared", "-fPIC"] + options + ["-o", folder.path(name), source, "-lcrypto"]
      guard (try? process.run()) != nil else { return nil }
      process.waitUntilExit()
      return process.terminationStatus == 0 ? folder.path(name) : nil
    }
    guard let whole = compiled("whole.so", []), let without = compiled("without.so", ["-DWITHOUT_TABLES"]) else {
      return nil
    }
    return (folder, whole, without)
  }()

  /// True if a C compiler could make the libraries.
  static var isThere: Bool { libraries != nil }

  /// A libcrypto some of whose calls fail.
  init(_ fault: String) throws {
    library = try #require(Self.libraries).whole
    self.fault = fault
  }

  private init(library: String) { self.library = library }

  /// A libcrypto without the functions that make tables.
  static var withoutTables: FaultyLibcrypto {
    get throws { FaultyLibcrypto(library: try #require(libraries).withoutTables) }
  }

  /// Runs `postback` with it.
  func run(_ arguments: [String]) async throws -> BuiltCommand.Result {
    let variables = ["LD_PRELOAD=\(library)", "POSTBACK_FAULT=\(fault)"]
    return try await BuiltCommand.run(executable: "/usr/bin/env", variables + [BuiltCommand.path] + arguments)
  }
}

@Suite(.enabled(if: FaultyLibcrypto.isThere, "a C compiler named cc makes a libcrypto that goes wrong"))
struct `A libcrypto that goes wrong` {
  private static let announcement = "libcrypto goes wrong"

  /// A dump of genuine and edited postbacks, long enough for tables of every key, and its result with a correct libcrypto.
  private static let dump = Task {
    try await GeneratedDump(
      count: 6000,
      seed: 7,
      options: ["--versions", "4.0=1", "--edited", "0.3", "--forged", "0", "--duplicate", "0", "--malformed", "0"]
    )
  }

  private struct Outcome: Equatable {
    let summary: [String?]
    let postbacks: [UInt8]
    let rejects: [UInt8]
  }

  private static func arguments(_ folder: TemporaryFolder, _ dump: GeneratedDump) throws -> [String] {
    let input = try folder.makeFile("dump.jsonl", holding: dump.bytes)
    return [
      "run", input, "--out", folder.path("out"), "--json", "--received-at", "2026-03-10T00:00:00Z", "--jobs", "1",
    ]
      + dump.keys
  }

  private static func outcome(_ result: BuiltCommand.Result, in folder: TemporaryFolder) throws -> Outcome {
    let summary = Object(result.text)
    func rows(_ table: String) throws -> [UInt8] {
      let text = String(decoding: try folder.contents(of: "out/\(table)/part-00000001.jsonl"), as: UTF8.self)
      // Folders of tests differ.
      return Array(text.replacingOccurrences(of: folder.path(""), with: "").utf8)
    }
    return Outcome(
      summary: [summary["accepted"], summary["by_code"]],
      postbacks: try rows("skan_postbacks"),
      rejects: try rows("skan_rejects")
    )
  }

  /// What a correct libcrypto makes of the dump.
  private static let right = Task {
    let folder = try TemporaryFolder()
    let result = try await BuiltCommand.run(try arguments(folder, try await dump.value))
    try #require(result.status == 0 && result.text.contains(#""verification":"fixed-base""#), "\(result.errorText)")
    return try outcome(result, in: folder)
  }

  @Test(arguments: [
    "EC_POINT_add:6000:97", "EC_POINT_mul:9000:97", "BN_mod_mul_montgomery:40000:997", "BN_mod_inverse:60:2",
    "EC_POINT_get_Jprojective_coordinates_GFp:5000:97",
  ])
  func `changes no verdict if a call sometimes fails`(_ fault: String) async throws {
    let folder = try TemporaryFolder()
    let result = try await FaultyLibcrypto(fault).run(try Self.arguments(folder, try await Self.dump.value))
    try #require(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains(Self.announcement))
    #expect(result.text.contains(#""verification":"fixed-base""#))
    #expect(try Self.outcome(result, in: folder) == (try await Self.right.value))
  }

  @Test(arguments: ["wrong_entry", "wrong_x"])
  func `has its tables refused if an entry is wrong`(_ fault: String) async throws {
    let folder = try TemporaryFolder()
    let result = try await FaultyLibcrypto(fault).run(try Self.arguments(folder, try await Self.dump.value))
    try #require(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains(Self.announcement))
    #expect(result.text.contains(#""verification":"evp""#))
    #expect(try Self.outcome(result, in: folder) == (try await Self.right.value))
  }

  @Test func `without tables still verifies`() async throws {
    let folder = try TemporaryFolder()
    let result = try await FaultyLibcrypto.withoutTables.run(try Self.arguments(folder, try await Self.dump.value))
    try #require(result.status == 0, "\(result.errorText)")
    #expect(result.text.contains(#""verification":"evp""#))
    #expect(try Self.outcome(result, in: folder) == (try await Self.right.value))
  }

  @Test func `without tables still searches quickly`() async throws {
    let folder = try TemporaryFolder()
    let edited = RealPostback.v4.object.with(["app-id": "525463028"])
    let input = try folder.makeFile("edited.json", holding: Array(edited.text.utf8))
    // It ends a process that asks in the slow way.
    let command = ["explain", input, "--received-at", "2026-03-10T00:00:00Z"]
    let result = try await FaultyLibcrypto.withoutTables.run(command)
    try #require(result.status == 0, "\(result.errorText)")
    #expect(result.text.contains("signature_invalid"))
  }

  @Test func `ends the run if its tables and its ECDSA contradict each other`() async throws {
    let folder = try TemporaryFolder()
    let arguments = try Self.arguments(folder, try await Self.dump.value)
    let result = try await FaultyLibcrypto("wrong_product:3000").run(arguments)
    #expect(result.status == 70)
    #expect(result.errorText.contains("libcrypto contradicts itself"))
    #expect(result.errorText.contains("--verification evp"))
  }

  @Test func `is asked for plain ECDSA only if the option says so`() async throws {
    let folder = try TemporaryFolder()
    let all = try Self.arguments(folder, try await Self.dump.value) + ["--verification", "evp"]
    let result = try await FaultyLibcrypto("EC_POINT_mul").run(all)
    try #require(result.status == 0, "\(result.errorText)")
    #expect(!result.errorText.contains(Self.announcement))
    #expect(result.text.contains(#""verification":"evp""#))
    #expect(try Self.outcome(result, in: folder) == (try await Self.right.value))
    let wrong = try await BuiltCommand.run(["run", "-", "--out", folder.path("none"), "--verification", "rsa"])
    #expect(wrong.status == 64)
    #expect(wrong.errorText.contains("fixed-base or evp"))
  }

  @Test(arguments: ["no_memory", "no_memory:4"])
  func `without memory causes no wrong verdict about a key`(_ fault: String) async throws {
    let folder = try TemporaryFolder()
    let result = try await FaultyLibcrypto(fault).run(try Self.arguments(folder, try await Self.dump.value))
    #expect(result.status == 70)
    #expect(result.errorText.contains("libcrypto failed at this operation: public key."))
    #expect(!result.errorText.contains("curve"))
  }

  /// With the private key 1, r = n - e makes u1 G + u2 Q the point at infinity, whose coordinates have no meaning.
  @Test func `never accepts a point at infinity as a signature`() async throws {
    let folder = try TemporaryFolder()
    let one = [UInt8](repeating: 0, count: 31) + [1]
    let key = try #require(try SigningKey(curve: .p256, scalar: one.span))
    let signer = Signer(key, id: "one")
    var lines: [String] = []
    for number in 0..<2500 {
      lines.append(try signer.sign(RealPostback.v3.object.with(["transaction-id": "\"genuine-\(number)\""])).text)
    }
    let forged = RealPostback.v3.object.with(["transaction-id": "\"forged\""])
    let digest = try signer.digest(of: forged).bytes
    let order: [UInt8] = [
      0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
      0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
    var (r, borrow) = ([UInt8](repeating: 0, count: 32), 0)
    for index in (0..<32).reversed() {
      let value = Int(order[index]) - Int(digest[index]) - borrow
      borrow = value < 0 ? 1 : 0
      r[index] = UInt8(truncatingIfNeeded: value)
    }
    #expect(borrow == 0)
    let number = r[0] < 0x80 ? r : [0] + r
    let signature = [0x30, UInt8(number.count + 5), 0x02, UInt8(number.count)] + number + [0x02, 0x01, 0x01]
    let base64 = String(decoding: Base64.standard.encode(signature), as: UTF8.self)
    lines.append(forged.with(["attribution-signature": Object.quoted(base64)]).text)
    let input = try folder.makeFile("dump.jsonl", holding: Array(lines.joined(separator: "\n").utf8))
    let result = try await FaultyLibcrypto("zero_infinity").run(
      ["run", input, "--out", folder.path("out"), "--json", "--jobs", "1", "--received-at", "2026-03-10T00:00:00Z"]
        + ["--trust-key", "one=\(signer.base64)"]
    )
    try #require(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains(Self.announcement))
    let summary = Object(result.text)
    #expect([summary["accepted"], summary["by_code"]] == ["2500", #"{"signature_invalid":1}"#])
  }
}
