import ConversionClient
import ConversionModel
import Foundation

/// The client in an app, with a stand-in for Apple's frameworks where there are none.
@main struct App {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 2, let server = URL(string: arguments[1]) else {
      print("Usage: app SERVER STATE")
      exit(64)
    }
    let store = FileStore(URL(fileURLWithPath: arguments[2]))
    let app = AppIdentity(bundleID: "com.example.puzzle")
    let values = ServerValues(of: server, for: app)
    let client = try ConversionClient(values: values, postbacks: PrintedPostbacks(), store: store)
    try await opened(client)
    try await paid(client)
    for (name, value) in await client.details().sorted(by: { $0.key < $1.key }) where !name.hasSuffix("timestamp") {
      print("\(name): \(value)")
    }
  }

  #if os(iOS)
    static func client(_ server: URL) throws -> ConversionClient {
      let app = AppIdentity(bundleID: "com.example.puzzle")
      let values = ServerValues(of: server, for: app)
      return try ConversionClient(values: values, postbacks: ApplePostbacks())
    }
  #endif

  /// Called each time the app is opened.
  static func opened(_ client: ConversionClient) async throws {
    try await client.register()
    try await client.update()
  }

  static func paid(_ client: ConversionClient) async throws {
    try await client.addRevenue(0.03, currency: "USD", isAdMonetization: true)
    try await client.update(event: "ad_impression")
  }

  static func direct(_ text: [UInt8]) throws -> ModelValues {
    let models = try Models(parsing: text)
    return ModelValues(models, appID: 1_661_087_323)
  }

  static func continued(_ client: ConversionClient, _ url: URL) async throws {
    try await client.reengage(opening: url)
  }
}

/// A stand-in for Apple's frameworks that prints the values.
struct PrintedPostbacks: PostbackUpdating {
  func update(_ values: PostbackValues) async throws {
    print("Apple: fine \(values.fineValue), coarse \(values.coarseValue.map { "\($0)" } ?? "none")")
  }
}
