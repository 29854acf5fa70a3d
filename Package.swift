// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The setting of a module that is optimised in a debug build too, with the trait for tests: most of their time goes into the loops
/// of these modules over bytes, rows and draws, and without it they take half as long again. A build for a first run is faster
/// without it.
let optimized: [SwiftSetting] = [
  .unsafeFlags(
    ["-O", "-whole-module-optimization", "-num-threads", "2", "-disable-batch-mode"],
    .when(platforms: [.linux], configuration: .debug, traits: ["FastTests"])
  )
]

/// A module of `Sources`.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], _ others: [SwiftSetting] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings + others)
}

/// The setting of a module that is not optimised in a release. The command, its answers and its pages are 15 000 lines that run
/// once for each call, and the last modules of a build: optimised they take three times as long. Work for each record is in the
/// modules below them.
let unoptimized: [SwiftSetting] = [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// A program of `Sources`.
func program(_ name: String, _ dependencies: [Target.Dependency], _ others: [SwiftSetting] = []) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings + others)
}

/// The tests of a module, with the modules that they use besides.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests",
    dependencies: [.byName(name: name)] + dependencies,
    swiftSettings: settings
  )
}

// The privacy manifest goes into apps. On Linux a target with resources would need Foundation's bundles.
#if os(Linux)
  let (clientExcludes, clientResources): ([String], [Resource]) = (["PrivacyInfo.xcprivacy"], [])
#else
  let (clientExcludes, clientResources): ([String], [Resource]) = ([], [.copy("PrivacyInfo.xcprivacy")])
#endif

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
  traits: [.trait(name: "FastTests", description: "Optimises the modules in which tests spend most of their time.")],
  targets: [
    // System libraries: shims and module maps, nothing else.
    .target(name: "CBoostMath"),
    .target(name: "CCurl", dependencies: ["CLoading"]),
    .systemLibrary(name: "CDeflate"),
    .target(name: "CLibcrypto", linkerSettings: [.linkedLibrary("crypto")]),
    .systemLibrary(name: "CLinux"),
    .target(name: "CLoading"),
    .systemLibrary(name: "CMalloc"),
    .target(name: "CMicrohttpd", dependencies: ["CLoading"]),
    .target(
      name: "CSimdjson",
      // Its calls of simdjson's templates are the parser's inner loops, so a debug build needs them compiled well, too.
      cxxSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))],
      linkerSettings: [.linkedLibrary("simdjson")]
    ),
    .target(name: "CPQ", dependencies: ["CLoading"]),
    .target(name: "CPublicSuffix", dependencies: ["CLoading"]),
    .target(name: "CReportPage", exclude: ["page", "view"]),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CXxhash"),
    .systemLibrary(name: "CZlib"),
    .systemLibrary(name: "CZstd"),

    // Modules, lowest first: each depends only on those above it.
    module("Base", [], optimized),
    module("JSON", ["Base", .target(name: "CSimdjson", condition: .when(platforms: [.linux]))], optimized),
    module("Signatures", ["CLibcrypto"], optimized),
    module("SKAdNetwork", ["Base", "JSON"], optimized),
    module("PostbackVerification", ["Base", "JSON", "Signatures", "SKAdNetwork"], optimized),
    module("InputForms", ["Base", "JSON", "SKAdNetwork"]),
    module("PageMarkup", ["Base", "JSON", "Signatures", "CReportPage"], unoptimized),
    module("ConversionModel", ["Base", "JSON"]),
    module("InfoPlist", ["Base", "JSON", "CPublicSuffix"]),
    module("ModelExchange", ["Base", "JSON", "ConversionModel"]),
    .target(
      name: "ConversionClient",
      dependencies: ["Base", "ConversionModel"],
      exclude: clientExcludes,
      resources: clientResources,
      swiftSettings: settings
    ),
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
      ],
      optimized
    ),
    module(
      "PostbackPipeline",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "InputForms", "PostbackVerification", "ConversionModel",
        "DurableFiles", "Ledger", "Tables", "CXxhash", "CZlib", "CZstd",
      ],
      optimized
    ),
    module("Spool", ["Base", "InputForms", "DurableFiles", "PostbackPipeline", "CLinux"]),
    module("Tampering", ["Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification"], optimized),
    module("HTTPClient", ["CCurl"]),
    module("ObjectStorage", ["Base", "JSON", "Signatures", "DurableFiles", "HTTPClient", "PostbackPipeline"]),
    module("SearchAds", ["Base", "JSON", "Signatures", "DurableFiles", "Ledger", "Tables", "HTTPClient"]),
    module("Statistics", ["Base", "ConversionModel", "CBoostMath"], optimized),
    module("LookupTables", ["Base", "JSON", "Signatures", "DurableFiles", "Ledger"]),
    module(
      "TableReading",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Ledger", "Tables",
        "PostbackPipeline",
      ],
      optimized
    ),
    module(
      "AppIntegrationCheck",
      [
        "Base", "JSON", "Signatures", "ConversionModel", "DurableFiles", "Tables", "PostbackPipeline", "Statistics",
        "TableReading",
      ]
    ),
    module(
      "ModelFitting",
      [
        "Base", "JSON", "Signatures", "ConversionModel", "DurableFiles", "PostbackPipeline", "Statistics",
        "TableReading", "AppIntegrationCheck", "PageMarkup",
      ],
      optimized
    ),
    module(
      "DerivedTables",
      [
        "Base", "JSON", "Signatures", "PostbackVerification", "DurableFiles", "Ledger", "Tables", "PostbackPipeline",
        "TableReading",
      ]
    ),
    module(
      "Analysis",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Ledger", "Tables", "PostbackPipeline", "Tampering", "Statistics", "TableReading", "DerivedTables",
      ]
    ),
    module(
      "PostbackLookup",
      ["Base", "JSON", "DurableFiles", "Ledger", "Tables", "PostbackPipeline", "TableReading", "DerivedTables"]
    ),
    module("Warehouse", ["Base", "PostbackVerification", "DurableFiles", "Ledger", "Tables", "DerivedTables", "CPQ"]),
    module(
      "PostbackCopies",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "DurableFiles", "Ledger", "Tables",
        "PostbackPipeline", "TableReading", "DerivedTables",
      ]
    ),
    module(
      "ImportedRows",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "InputForms", "ConversionModel", "DurableFiles", "Ledger",
        "Tables",
        "PostbackPipeline",
        "DerivedTables",
      ]
    ),
    module(
      "SearchAdsReports",
      [
        "Base", "JSON", "DurableFiles", "Ledger", "Tables", "PostbackPipeline", "SearchAds", "LookupTables",
        "TableReading", "DerivedTables",
      ]
    ),
    module(
      "NullValueModelling",
      [
        "Base", "JSON", "ConversionModel", "DurableFiles", "Ledger", "Tables", "PostbackPipeline", "Statistics",
        "LookupTables", "TableReading", "DerivedTables",
      ]
    ),
    module(
      "CopySettlement",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Ledger", "Tables", "PostbackPipeline", "Statistics", "LookupTables", "TableReading", "DerivedTables",
        "PostbackCopies",
      ]
    ),
    module(
      "VendorReports",
      [
        "Base", "JSON", "ConversionModel", "DurableFiles", "Tables", "PostbackPipeline", "Statistics", "TableReading",
        "DerivedTables", "ImportedRows", "CopySettlement",
      ]
    ),
    module(
      "CampaignEnrichment",
      [
        "Base", "JSON", "PostbackVerification", "Tables", "PostbackPipeline", "LookupTables", "TableReading",
        "DerivedTables", "PostbackCopies", "CopySettlement",
      ]
    ),
    module(
      "FraudSignals",
      [
        "Base", "JSON", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles", "Tables",
        "PostbackPipeline", "Statistics", "LookupTables", "TableReading", "DerivedTables", "PostbackCopies",
        "CopySettlement",
        "CampaignEnrichment",
        "CBoostMath",
      ]
    ),
    module(
      "DailyReports",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Ledger", "Tables", "PostbackPipeline", "Statistics", "LookupTables", "TableReading",
        "DerivedTables", "PostbackCopies", "SearchAdsReports", "NullValueModelling", "CopySettlement", "VendorReports",
        "CampaignEnrichment",
      ]
    ),
    module(
      "Reporting",
      [
        "Base", "JSON", "Signatures", "PostbackVerification", "ConversionModel", "DurableFiles", "Ledger", "Tables",
        "PostbackPipeline", "SearchAds", "Statistics", "LookupTables", "TableReading", "DerivedTables",
        "PostbackCopies", "ImportedRows", "SearchAdsReports", "NullValueModelling", "CopySettlement", "VendorReports",
        "CampaignEnrichment", "FraudSignals", "DailyReports", "CMalloc",
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
        "Base", "JSON", "InputForms", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel",
        "DurableFiles",
        "Ledger", "Tables", "PostbackPipeline", "Spool", "Metrics", "PostbackServer",
      ]
    ),
    module(
      "Delivery",
      [
        "Base", "JSON", "Signatures", "PostbackVerification", "DurableFiles", "Ledger", "Tables", "LookupTables",
        "DerivedTables", "CopySettlement", "Metrics", "PostbackPipeline", "PostbackServer", "PostbackService", "Spool",
        "HTTPClient",
      ]
    ),
    module("SyntheticTraffic", ["Base", "JSON", "Signatures", "SKAdNetwork", "ConversionModel"], optimized),
    module(
      "Answers",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "Tables",
        "PostbackPipeline", "Tampering", "Statistics", "LookupTables", "TableReading", "Analysis", "PostbackCopies",
        "PostbackLookup", "SearchAdsReports", "NullValueModelling", "CopySettlement", "VendorReports", "FraudSignals",
        "DailyReports", "AppIntegrationCheck", "ModelFitting",
      ],
      unoptimized
    ),
    module(
      "ReportPages",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "Tables",
        "DurableFiles", "PostbackPipeline", "Tampering", "Statistics", "LookupTables", "TableReading", "DerivedTables",
        "Analysis",
        "CopySettlement", "CampaignEnrichment", "SearchAdsReports",
        "NullValueModelling", "VendorReports", "FraudSignals", "DailyReports", "Reporting", "Answers", "PageMarkup",
      ],
      unoptimized
    ),
    module(
      "PostbackView",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Ledger",
        "Tables", "PostbackPipeline", "TableReading", "DerivedTables", "Analysis", "PostbackLookup",
        "CampaignEnrichment",
        "CopySettlement", "DailyReports", "Reporting", "PostbackServer", "Delivery", "Answers", "ReportPages",
        "CReportPage",
      ]
    ),
    program(
      "postback",
      [
        "Answers", "PostbackView",
        "Base", "JSON", "Signatures", "SKAdNetwork", "InputForms", "PostbackVerification", "ConversionModel",
        "InfoPlist", "ModelExchange", "DurableFiles", "Ledger", "Tables", "PostbackPipeline", "Spool", "Tampering",
        "LookupTables", "PostbackLookup",
        "TableReading", "Analysis", "DerivedTables", "ImportedRows", "SearchAdsReports",
        "NullValueModelling", "CopySettlement", "VendorReports", "CampaignEnrichment", "FraudSignals", "DailyReports",
        "Reporting", "Warehouse",
        "AppIntegrationCheck", "ModelFitting", "PostbackServer", "PostbackService", "HTTPClient", "ObjectStorage",
        "SearchAds",
        "Delivery",
        "SyntheticTraffic", "CMalloc", "ReportPages",
      ],
      unoptimized
    ),
    program(
      "Benchmarks",
      [
        "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles",
        "Ledger", "Tables", "PostbackPipeline", "Tampering", "PostbackServer", "SyntheticTraffic",
      ]
    ),

    // Tests.
    .target(
      name: "TestSupport",
      dependencies: ["Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "DurableFiles", "Ledger"],
      path: "Tests/TestSupport",
      swiftSettings: settings + optimized
    ),
    // The number of tests that run at once, for the tests of all modules, which are one program.
    .target(name: "CTestWidth", path: "Tests/CTestWidth"),
    tests("Base", ["CTestWidth"]),
    tests("JSON", ["TestSupport"]),
    tests("Signatures", ["CLibcrypto"]),
    tests("SKAdNetwork", ["Base", "JSON", "TestSupport"]),
    tests("InputForms", ["Base", "SKAdNetwork"]),
    tests("PostbackVerification", ["Base", "JSON", "Signatures", "SKAdNetwork", "TestSupport"]),
    tests("ConversionModel", ["Base", "TestSupport"]),
    tests("InfoPlist", ["JSON", "TestSupport"]),
    tests("ModelExchange", ["JSON", "ConversionModel", "TestSupport"]),
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
    tests("ObjectStorage", ["Base"]),
    tests("Spool", ["DurableFiles", "PostbackPipeline", "TestSupport"]),
    tests("Tampering", ["Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "TestSupport"]),
    .target(
      name: "LookupFixtures",
      dependencies: ["DurableFiles", "LookupTables", "TestSupport"],
      path: "Tests/LookupFixtures",
      swiftSettings: settings
    ),
    tests("Statistics", ["TestSupport"]),
    tests("LookupTables", ["Base", "DurableFiles", "LookupFixtures", "TestSupport"]),
    tests("TableReading", ["JSON", "DurableFiles", "Tables", "PostbackPipeline", "TestSupport"]),
    tests("PostbackLookup", ["DurableFiles", "Ledger", "Tables", "TestSupport"]),
    tests(
      "PostbackCopies",
      ["JSON", "PostbackVerification", "DurableFiles", "Tables", "TableReading", "DerivedTables", "TestSupport"]
    ),
    tests(
      "NullValueModelling",
      ["ConversionModel", "Ledger", "Tables", "Statistics", "LookupTables", "LookupFixtures", "TestSupport"]
    ),
    tests("CopySettlement", ["SKAdNetwork", "PostbackCopies", "ConversionModel", "Ledger", "TestSupport"]),
    tests(
      "CampaignEnrichment",
      [
        "Base", "DurableFiles", "Ledger", "Tables", "LookupTables", "DerivedTables", "PostbackCopies", "TestSupport",
      ]
    ),
    tests(
      "FraudSignals",
      ["SKAdNetwork", "PostbackCopies", "Statistics", "LookupTables", "TableReading", "TestSupport"]
    ),
    tests("Analysis", ["DurableFiles", "Tables", "PostbackPipeline", "TableReading", "DerivedTables", "TestSupport"]),
    tests(
      "DailyReports",
      [
        "Base", "JSON", "ConversionModel", "DurableFiles", "Tables", "Statistics", "LookupTables", "LookupFixtures",
        "TestSupport",
      ]
    ),
    tests(
      "Reporting",
      [
        "Base", "JSON", "ConversionModel", "DurableFiles", "Ledger", "Tables", "PostbackPipeline", "Statistics",
        "LookupTables", "TableReading", "DerivedTables", "PostbackCopies", "NullValueModelling", "CopySettlement",
        "CampaignEnrichment", "FraudSignals", "DailyReports", "LookupFixtures", "TestSupport",
      ]
    ),
    tests(
      "SearchAds",
      ["Base", "JSON", "Signatures", "DurableFiles", "Ledger", "Tables", "HTTPClient", "TestSupport"]
    ),
    tests(
      "Warehouse",
      [
        "DurableFiles", "Ledger", "Tables", "DerivedTables", "CampaignEnrichment", "DailyReports", "Reporting",
        "TestSupport",
      ]
    ),
    tests("Answers", ["JSON", "ConversionModel", "FraudSignals", "LookupTables", "Statistics"]),
    tests(
      "ReportPages",
      [
        "Base", "JSON", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles", "Tables",
        "Statistics",
        "TableReading", "Analysis", "FraudSignals", "Reporting", "Answers", "PageMarkup", "TestSupport",
      ]
    ),
    tests("PageMarkup", ["JSON", "TestSupport"]),
    tests(
      "PostbackView",
      [
        "Base", "JSON", "SKAdNetwork", "ConversionModel", "DurableFiles", "PostbackServer", "PostbackLookup", "Tables",
        "DerivedTables", "Reporting", "TableReading", "TestSupport",
      ]
    ),
    tests("AppIntegrationCheck", ["ConversionModel", "PostbackPipeline", "TestSupport"]),
    tests("ModelFitting", ["ConversionModel", "PostbackPipeline", "TestSupport"]),
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
        "Base", "JSON", "PostbackVerification", "DurableFiles", "Ledger", "Tables", "LookupTables", "PostbackServer",
        "PostbackService", "HTTPClient", "TestSupport",
      ]
    ),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "InfoPlist", "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel",
        "ConversionClient", "DurableFiles", "Ledger", "Tables", "PostbackPipeline", "Tampering",
        "LookupTables", "TableReading", "Analysis", "PostbackLookup", "NullValueModelling", "SearchAdsReports",
        "CopySettlement",
        "CampaignEnrichment", "DailyReports", "AppIntegrationCheck", "PostbackServer", "PostbackService", "Answers",
        "postback",
        "TestSupport",
      ],
      swiftSettings: settings
    ),
  ],
  cLanguageStandard: .c11,
  cxxLanguageStandard: .cxx17
)

// deploy/build links the command with the runtime of Swift and with the libraries of this folder inside, for other distributions.
if let libraries = Context.environment["POSTBACK_LIBRARIES"] {
  package.targets.first { $0.name == "postback" }?.linkerSettings = [
    .unsafeFlags(["-static-stdlib", "-L\(libraries)"])
  ]
}

// What libFuzzer runs, for `Tests/fuzz` alone: executables whose `main` comes with `--sanitize=fuzzer`. Each depends on what it
// tests alone, because libFuzzer goes through the counters of the whole program after each input. Otherwise a test runs the
// parsers among them for a moment.
let parsers: [Target.Dependency] = [
  "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles", "Ledger",
  "Tables",
  "PostbackPipeline", "Spool", "Tampering", "LookupTables", "DailyReports", "PostbackServer", "TestSupport", "CZlib",
]
if Context.environment["POSTBACK_FUZZ"] != nil {
  let pipeline: [Target.Dependency] = [
    "Base", "JSON", "Signatures", "SKAdNetwork", "PostbackVerification", "ConversionModel", "DurableFiles", "Ledger",
    "Tables",
    "PostbackPipeline", "TestSupport",
  ]
  package.targets += [
    ("FuzzParsers", parsers), ("FuzzRows", pipeline), ("FuzzRecovery", pipeline),
  ].map { name, dependencies in
    .executableTarget(
      name: name,
      dependencies: dependencies,
      path: "Tests/FuzzTargets/\(name)",
      exclude: name == "FuzzParsers" ? ["MutationTests.swift"] : [],
      swiftSettings: settings
    )
  }
} else {
  package.targets.append(
    .testTarget(
      name: "FuzzParsersTests",
      dependencies: parsers,
      path: "Tests/FuzzTargets/FuzzParsers",
      swiftSettings: settings
    )
  )
}
