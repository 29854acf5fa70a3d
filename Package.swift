// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "postback",
  products: [
    .executable(name: "postback", targets: ["postback"]),
    .library(name: "SKAdNetwork", targets: ["SKAdNetwork", "Base"]),
    .library(name: "ConversionModel", targets: ["ConversionModel", "Base"]),
    .library(name: "Signatures", targets: ["Signatures"]),
  ],
  targets: [
    // System libraries: shims and module maps, nothing else.
    .target(name: "CLibcrypto", linkerSettings: [.linkedLibrary("crypto")]),
    .systemLibrary(name: "CLinux"),
    .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CMalloc"),
    .target(name: "CMicrohttpd", linkerSettings: [.linkedLibrary("microhttpd")]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CXxhash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

    .target(name: "Base", swiftSettings: settings),
    .target(name: "Metrics", swiftSettings: settings),
    .target(name: "JSON", dependencies: ["CSimdjson"], swiftSettings: settings),
    .target(name: "Signatures", dependencies: ["CLibcrypto"], swiftSettings: settings),
    .target(name: "SKAdNetwork", dependencies: ["Base", "JSON"], swiftSettings: settings),
    .target(name: "ConversionModel", dependencies: ["Base", "JSON"], swiftSettings: settings),
    .target(
      name: "PostbackPipeline",
      dependencies: [
        "Base", "JSON", "Signatures", "SKAdNetwork", "ConversionModel", "CLinux", "CSQLite", "CZlib", "CZstd",
        "CXxhash",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "SyntheticTraffic",
      dependencies: ["Base", "SKAdNetwork", "Signatures", "JSON"],
      swiftSettings: settings
    ),
    .target(
      name: "PostbackServer",
      dependencies: [
        "Base", "Metrics", "PostbackPipeline", "ConversionModel", "SKAdNetwork", "Signatures", "JSON", "CMicrohttpd",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "Analysis",
      dependencies: ["Base", "PostbackPipeline", "ConversionModel", "SKAdNetwork", "Signatures", "JSON"],
      swiftSettings: settings
    ),
    .target(
      name: "PostbackService",
      dependencies: [
        "Base", "Metrics", "PostbackServer", "PostbackPipeline", "ConversionModel", "SKAdNetwork", "Signatures", "JSON",
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "postback",
      dependencies: [
        "Base", "SyntheticTraffic", "PostbackService", "PostbackServer", "Analysis", "PostbackPipeline",
        "ConversionModel", "SKAdNetwork", "Signatures", "JSON", "CMalloc",
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "Base", "SyntheticTraffic", "PostbackPipeline", "PostbackServer", "ConversionModel", "SKAdNetwork",
        "Signatures",
        "JSON",
      ],
      swiftSettings: settings
    ),

    .target(
      name: "TestSupport",
      dependencies: ["Base", "JSON", "Signatures", "SKAdNetwork"],
      path: "Tests/TestSupport",
      swiftSettings: settings
    ),
    .testTarget(name: "BaseTests", dependencies: ["Base"], swiftSettings: settings),
    .testTarget(name: "MetricsTests", dependencies: ["Metrics", "TestSupport"], swiftSettings: settings),
    .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: settings),
    .testTarget(name: "SignaturesTests", dependencies: ["Signatures", "CLibcrypto", "JSON"], swiftSettings: settings),
    .testTarget(
      name: "SKAdNetworkTests",
      dependencies: ["SKAdNetwork", "Base", "JSON", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ConversionModelTests",
      dependencies: ["ConversionModel", "Base", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "PostbackPipelineTests",
      dependencies: [
        "PostbackPipeline", "SKAdNetwork", "ConversionModel", "Base", "JSON", "Signatures", "CZlib", "CZstd",
        "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "PostbackServerTests",
      dependencies: [
        "PostbackServer", "PostbackPipeline", "ConversionModel", "SKAdNetwork", "Base", "JSON", "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "AnalysisTests",
      dependencies: [
        "Analysis", "PostbackPipeline", "SKAdNetwork", "ConversionModel", "Base", "JSON", "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "PostbackServiceTests",
      dependencies: [
        "PostbackService", "Base", "Metrics", "PostbackPipeline", "ConversionModel", "SKAdNetwork", "JSON",
        "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "postback", "Base", "PostbackService", "PostbackServer", "Analysis", "PostbackPipeline", "SKAdNetwork",
        "ConversionModel",
        "Signatures", "JSON", "TestSupport",
      ],
      swiftSettings: settings
    ),
  ],
  cLanguageStandard: .c11,
  cxxLanguageStandard: .cxx17
)

// What libFuzzer runs, for `Tests/fuzz` alone: executables whose `main` comes with `--sanitize=fuzzer`.
if Context.environment["POSTBACK_FUZZ"] != nil {
  package.targets += ["FuzzPostbacks", "FuzzState"].map { name in
    .executableTarget(
      name: name,
      dependencies: [
        "PostbackPipeline", "ConversionModel", "SKAdNetwork", "Signatures", "Base", "JSON", "CZlib", "TestSupport",
      ],
      path: "Tests/FuzzTargets/\(name)",
      swiftSettings: settings
    )
  }
}
