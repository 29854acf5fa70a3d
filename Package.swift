// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A module of `Sources`.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A program of `Sources`.
func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// The tests of a module, with the modules that they use besides.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests",
    dependencies: [.byName(name: name)] + dependencies,
    swiftSettings: settings
  )
}

let package = Package(
  name: "postback",
  // The app's side alone is built for iOS; all else runs on Linux.
  platforms: [.iOS(.v15)],
  products: [
    .executable(name: "postback", targets: ["postback"]),
    .library(
      name: "PostbackVerification",
      targets: ["PostbackVerification", "SKAdNetwork", "Signatures", "JSON", "Base"]
    ),
    .library(name: "SKAdNetwork", targets: ["SKAdNetwork", "JSON", "Base"]),
    .library(name: "ConversionModel", targets: ["ConversionModel", "Base"]),
    .library(name: "ConversionClient", targets: ["ConversionClient"]),
  ],
  targets: [
    // System libraries: shims and module maps, nothing else.
    .target(name: "CBoostMath"),
    .target(name: "CCurl", dependencies: ["CLoading"]),
    .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
    .target(name: "CLibcrypto", linkerSettings: [.linkedLibrary("crypto")]),
    .systemLibrary(name: "CLinux"),
    .target(name: "CLoading"),
    .systemLibrary(name: "CMalloc"),
    .target(name: "CMicrohttpd", dependencies: ["CLoading"]),
    .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "CPQ", dependencies: ["CLoading"]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CXxhash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

    // Modules, lowest first: each depends only on those above it.
    module("Base"),
    module("JSON", ["Base", .target(name: "CSimdjson", condition: .when(platforms: [.linux]))]),
    module("Signatures", ["CLibcrypto"]),
    module("SKAdNetwork", ["Base", "JSON"]),
    module("PostbackVerification", ["Base", "JSON", "Signatures", "SKAdNetwork"]),
    module("ConversionModel", ["Base", "JSON"]),
    module("InfoPlist", ["Base", "JSON"]),
    module("ConversionClient", ["Base", "ConversionModel"]),
    module("DurableFiles", ["Base", "CDeflate", "CLinux", "CZlib"]),
    module(
      "Ledger",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "CSQLite", "CXxhash",
      ]
    ),
    module(
      "Tables",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Ledger",
      ]
    ),
    module(
      "PostbackPipeline",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Ledger", "Tables", "CXxhash", "CZlib", "CZstd",
      ]
    ),
    module("Spool", ["Base", "ConversionModel", "DurableFiles", "PostbackPipeline", "CLinux"]),
    module("Tampering", ["Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification"]),
    module("HTTPClient", ["CCurl"]),
    module("SearchAds", ["Base", "JSON", "Signatures", "DurableFiles", "Ledger", "Tables", "HTTPClient"]),
    module(
      "Analysis",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Ledger", "Tables", "PostbackPipeline", "Tampering",
      ]
    ),
    module(
      "Reporting",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Ledger", "Tables", "PostbackPipeline", "Analysis", "SearchAds", "CBoostMath",
      ]
    ),
    module(
      "Warehouse",
      ["Base", "PostbackVerification", "DurableFiles", "Ledger", "Tables", "Reporting", "CPQ"]
    ),
    module(
      "Implementation",
      [
        "Base", "JSON", "Signatures", "ConversionModel", "DurableFiles", "Tables", "PostbackPipeline", "Analysis",
        "Reporting",
      ]
    ),
    module("Metrics"),
    module(
      "PostbackServer",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Tables", "PostbackPipeline", "Spool", "Metrics", "CMicrohttpd",
      ]
    ),
    module(
      "PostbackService",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Ledger", "Tables", "PostbackPipeline", "Spool", "Metrics", "PostbackServer",
      ]
    ),
    module(
      "Delivery",
      [
        "Base", "JSON", "Signatures", "PostbackVerification", "DurableFiles", "Ledger", "Tables", "Reporting",
        "Metrics",
        "PostbackPipeline", "PostbackServer", "PostbackService", "Spool", "ConversionModel", "HTTPClient",
      ]
    ),
    module("SyntheticTraffic", ["Base", "JSON", "Signatures", "SKAdNetwork", "ConversionModel"]),
    program(
      "postback",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "InfoPlist",
        "DurableFiles",
        "Ledger", "Tables", "PostbackPipeline", "Spool", "Tampering", "Analysis", "Reporting", "Warehouse",
        "Implementation", "PostbackServer", "PostbackService", "HTTPClient", "SearchAds", "Delivery",
        "SyntheticTraffic", "CMalloc",
      ]
    ),
    program(
      "Benchmarks",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Ledger", "Tables", "PostbackPipeline", "Tampering", "Analysis", "PostbackServer", "SyntheticTraffic",
      ]
    ),

    // Tests.
    .target(
      name: "TestSupport",
      dependencies: ["Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "DurableFiles", "Ledger"],
      path: "Tests/TestSupport",
      swiftSettings: settings
    ),
    tests("Base"),
    tests("JSON", ["TestSupport"]),
    tests("Signatures", ["CLibcrypto"]),
    tests("SKAdNetwork", ["Base", "JSON", "TestSupport"]),
    tests("PostbackVerification", ["Base", "JSON", "Signatures", "SKAdNetwork", "TestSupport"]),
    tests("ConversionModel", ["Base", "TestSupport"]),
    tests("InfoPlist", ["JSON", "TestSupport"]),
    tests("ConversionClient", ["ConversionModel", "TestSupport"]),
    tests("DurableFiles", ["TestSupport"]),
    tests("Ledger", ["Signatures", "SKAdNetwork", "PostbackVerification", "DurableFiles", "TestSupport"]),
    tests("Tables", ["JSON", "PostbackVerification", "DurableFiles", "Ledger", "TestSupport"]),
    tests(
      "PostbackPipeline",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Ledger", "Tables", "TestSupport", "CZlib", "CZstd",
      ]
    ),
    tests("Spool", ["DurableFiles", "PostbackPipeline", "TestSupport"]),
    tests("Tampering", ["Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "TestSupport"]),
    tests("Analysis", ["JSON", "DurableFiles", "Tables", "PostbackPipeline", "TestSupport"]),
    tests(
      "Reporting",
      [
        "Base", "JSON", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles", "Ledger", "Tables",
        "PostbackPipeline", "Analysis", "SearchAds", "TestSupport",
      ]
    ),
    tests(
      "SearchAds",
      ["Base", "JSON", "Signatures", "DurableFiles", "Ledger", "Tables", "HTTPClient", "TestSupport"]
    ),
    tests("Warehouse", ["Base", "JSON", "DurableFiles", "Ledger", "Tables", "Reporting", "TestSupport"]),
    tests("Implementation", ["Base", "JSON", "ConversionModel", "Analysis", "PostbackPipeline", "TestSupport"]),
    tests("Metrics", ["TestSupport"]),
    tests(
      "PostbackServer",
      ["Base", "JSON", "PostbackVerification", "ConversionModel", "DurableFiles", "PostbackPipeline", "TestSupport"]
    ),
    tests(
      "PostbackService",
      [
        "Base", "JSON", "SKAdNetwork", "DurableFiles", "Ledger", "PostbackPipeline", "Spool", "Metrics",
        "PostbackServer",
        "TestSupport",
      ]
    ),
    tests(
      "Delivery",
      [
        "Base", "JSON", "PostbackVerification", "DurableFiles", "Ledger", "Tables", "PostbackServer", "HTTPClient",
        "TestSupport",
      ]
    ),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "InfoPlist", "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel",
        "ConversionClient", "DurableFiles", "Ledger", "Tables", "PostbackPipeline", "Tampering", "Analysis",
        "Reporting", "Implementation",
        "PostbackServer", "PostbackService", "postback", "TestSupport",
      ],
      swiftSettings: settings
    ),
  ],
  cLanguageStandard: .c11,
  cxxLanguageStandard: .cxx17
)

// What libFuzzer runs, for `Tests/fuzz` alone: executables whose `main` comes with `--sanitize=fuzzer`. Otherwise a test runs
// the parsers among them for a moment.
let fuzzed: [Target.Dependency] = [
  "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles", "Ledger",
  "Tables", "PostbackPipeline", "Spool", "Tampering", "Reporting", "PostbackServer", "TestSupport", "CZlib",
]
if Context.environment["POSTBACK_FUZZ"] != nil {
  package.targets += ["FuzzParsers", "FuzzPostbacks", "FuzzState"].map { name in
    .executableTarget(
      name: name,
      dependencies: fuzzed,
      path: "Tests/FuzzTargets/\(name)",
      exclude: name == "FuzzParsers" ? ["MutationTests.swift"] : [],
      swiftSettings: settings
    )
  }
} else {
  package.targets.append(
    .testTarget(
      name: "FuzzParsersTests",
      dependencies: fuzzed,
      path: "Tests/FuzzTargets/FuzzParsers",
      swiftSettings: settings
    )
  )
}
