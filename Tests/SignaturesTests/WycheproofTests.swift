import Foundation
import Testing

@testable import Signatures

/// The part of Wycheproof's `ecdsa_verify_schema_v1.json` that is used.
private struct Wycheproof: Decodable {
  let numberOfTests: Int
  let testGroups: [Group]

  struct Group: Decodable {
    let publicKeyDer: String
    let tests: [Vector]
  }

  struct Vector: Decodable {
    let tcId: Int
    let comment: String
    let flags: [String]
    let msg: String
    let sig: String
    let result: String
  }

  /// The suites beside the package, or in the folder that POSTBACK_SHARED names.
  static let folder: URL = {
    let shared =
      ProcessInfo.processInfo.environment["POSTBACK_SHARED"].map { URL(filePath: $0) }
      ?? URL(filePath: #filePath).appending(path: "../../../../shared").standardized
    return shared.appending(path: "suites")
  }()

  /// The files with ECDSA vectors, and their curves.
  static let suites: [(file: String, curve: Curve)] = [
    ("wycheproof_ecdsa_secp192r1_sha256_test.json", .p192), ("wycheproof_ecdsa_secp256r1_sha256_test.json", .p256),
  ]

  static var isThere: Bool { FileManager.default.fileExists(atPath: folder.path) }
}

@Suite(
  .enabled(
    if: Wycheproof.isThere,
    "Wycheproof's suites are expected in ../shared/suites, or in $POSTBACK_SHARED/suites"
  )
)
struct WycheproofTests {
  @Test(arguments: Wycheproof.suites, VerificationMethod.allCases)
  func `Wycheproof's vectors agree, one by one and in batches`(
    _ suite: (file: String, curve: Curve),
    _ method: VerificationMethod
  ) throws {
    let vectors = try JSONDecoder().decode(
      Wycheproof.self,
      from: Data(contentsOf: Wycheproof.folder.appending(path: suite.file))
    )
    var run = 0
    for group in vectors.testGroups {
      let key = try PublicKey(hex(group.publicKeyDer))
      #expect(key.curve == suite.curve)
      var verifier = try BatchVerifier(key, by: method)
      for vector in group.tests {
        verifier.add(hex(vector.sig), of: try digest(of: hex(vector.msg)))
      }
      for (vector, verdict) in zip(group.tests, try verifier.verify()) {
        #expect(try key.verdict(on: hex(vector.sig), of: digest(of: hex(vector.msg))) == verdict)
        let name = Comment(rawValue: "\(vector.tcId): \(vector.comment)")
        switch vector.result {
        case "valid": #expect(verdict == .valid, name)
        case "invalid": #expect(verdict != .valid, name)
        // Only encodings other than strict DER are merely acceptable.
        case "acceptable": #expect(verdict == .malformed, name)
        default: Issue.record("unknown result \(vector.result)")
        }
        if !Set(vector.flags).isDisjoint(with: ["BerEncodedSignature", "InvalidTypesInSignature"]) {
          #expect(verdict == .malformed, name)
        }
        run += 1
      }
    }
    #expect(run == vectors.numberOfTests)
  }

  @Test(arguments: Wycheproof.suites, [2, 15])
  func `Wycheproof's vectors agree among other keys and other digests`(
    _ suite: (file: String, curve: Curve),
    _ keyCount: Int
  ) throws {
    let vectors = try JSONDecoder().decode(
      Wycheproof.self,
      from: Data(contentsOf: Wycheproof.folder.appending(path: suite.file))
    )
    let others = try (1..<keyCount).map {
      try SigningKey(curve: suite.curve, scalarFrom: digest(of: "other \($0)")).publicKey
    }
    let other = try digest(of: "other")
    for key in others { key.prepare() }
    for group in vectors.testGroups {
      let key = try PublicKey(hex(group.publicKeyDer))
      if keyCount == 2 { key.prepare() }
      var verifier = try BatchVerifier(others + [key], candidates: [Array(0..<keyCount)], method: .fixedBase)
      for vector in group.tests {
        let digests = [other, try digest(of: hex(vector.msg))]
        verifier.add(hex(vector.sig).span, as: .der, of: digests.span, candidates: 0)
      }
      for (vector, finding) in zip(group.tests, try verifier.find()) {
        let name = Comment(rawValue: "\(vector.tcId): \(vector.comment)")
        switch try key.verdict(on: hex(vector.sig), of: digest(of: hex(vector.msg))) {
        case .valid: #expect(finding == .signed(key: keyCount - 1, digest: 1), name)
        case .invalid: #expect(finding == .invalid, name)
        case .malformed: #expect(finding == .malformed, name)
        }
      }
    }
  }
}
