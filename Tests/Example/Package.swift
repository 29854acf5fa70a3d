// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "example",
  dependencies: [.package(name: "postback", path: "../..")],
  targets: [
    .executableTarget(
      name: "app",
      dependencies: [
        .product(name: "ConversionClient", package: "postback"),
        .product(name: "ConversionModel", package: "postback"),
      ]
    ),
    .executableTarget(
      name: "shortest",
      dependencies: [.product(name: "PostbackVerification", package: "postback")]
    ),
    .executableTarget(
      name: "verify",
      dependencies: [
        .product(name: "PostbackVerification", package: "postback"),
        .product(name: "SKAdNetwork", package: "postback"),
        .product(name: "ConversionModel", package: "postback"),
      ]
    ),
  ]
)
