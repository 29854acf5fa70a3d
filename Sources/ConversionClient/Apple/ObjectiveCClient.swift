#if os(iOS) || POSTBACK_APPLE_DECLARATIONS
  #if canImport(StoreKit)
    public import Foundation

    /// A client for apps in Objective-C, which import it from the generated header `ConversionClient-Swift.h` as
    /// `PBConversionClient`. Each method with a result calls a block when it is done, on any thread.
    ///
    /// It has a server and no model, and the rules of SKAdNetwork 4. docs/bridges.md has its declaration in Objective-C.
    @objc(PBConversionClient)
    public final class ObjectiveCClient: NSObject, Sendable {
      private let client: ConversionClient

      /// A client that continues with the stored state.
      ///
      /// - Parameters:
      ///   - server: The server of the conversion value API.
      ///   - bundleID: The bundle id of the app.
      ///   - sdkKey: The SDK key, for servers that ask for one.
      /// - Throws: A `ConversionClientError` if the stored state cannot be read.
      @objc public init(server: URL, bundleID: String, sdkKey: String?) throws {
        let values = ServerValues(of: server, for: AppIdentity(bundleID: bundleID, sdkKey: sdkKey))
        client = try ConversionClient(values: values, postbacks: ApplePostbacks())
        super.init()
      }

      /// Starts the conversion windows at Apple, as `ConversionClient.register()`.
      @objc public func register() async throws { try await client.register() }

      /// Updates after an event, as `ConversionClient.update(event:)`, and returns the fine value in force.
      @objc(updateWithEvent:completionHandler:)
      public func update(event: String) async throws -> Int { try await client.update(event: event).fineValue }

      /// Adds revenue, as `ConversionClient.addRevenue`.
      @objc(addRevenue:currency:isAdMonetization:completionHandler:)
      public func addRevenue(_ amount: NSDecimalNumber, currency: String, isAdMonetization: Bool) async throws {
        // A number is no value that may be sent to another task, and a decimal is one.
        let decimal = amount.decimalValue
        try await client.addRevenue(decimal, currency: currency, isAdMonetization: isAdMonetization)
      }

      /// The state for the metadata of sessions and events, as `ConversionClient.details()`.
      @objc public func details() async -> [String: String] { await client.details() }
    }
  #endif
#endif
