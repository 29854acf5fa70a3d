#if os(iOS) || POSTBACK_APPLE_DECLARATIONS
  #if canImport(StoreKit)
    internal import StoreKit
    #if canImport(AdAttributionKit)
      internal import AdAttributionKit
    #endif

    /// SKAdNetwork and AdAttributionKit, as far as the version of iOS has them.
    ///
    /// An install is told to both, because an ad network may use either, and the update succeeds if one of them accepts it.
    /// Outside of App Store and TestFlight builds SKAdNetwork reports an error, and AdAttributionKit does not.
    public struct ApplePostbacks: PostbackUpdating {
      /// Apple's frameworks on this device.
      public init() {}

      /// Sets the values of the pending postbacks of one conversion.
      public func update(_ values: PostbackValues) async throws {
        guard values.conversionType == .install else {
          _ = try await updateAdAttributionKitIfThere(values)
          return
        }
        try await InstallUpdate.tell {
          try await updateSKAdNetwork(values)
        } adAttributionKit: {
          try await updateAdAttributionKitIfThere(values)
        }
      }

      /// Tells AdAttributionKit; returns false where the device does not have it.
      private func updateAdAttributionKitIfThere(_ values: PostbackValues) async throws -> Bool {
        #if canImport(AdAttributionKit)
          if #available(iOS 17.4, *) { return try await updateAdAttributionKit(values) }
        #endif
        return false
      }

      private func updateSKAdNetwork(_ values: PostbackValues) async throws {
        if #available(iOS 16.1, *), let coarse = values.coarseValue {
          try await SKAdNetwork.updatePostbackConversionValue(
            values.fineValue,
            coarseValue: coarse.ofSKAdNetwork,
            lockWindow: values.locksWindow
          )
        } else if #available(iOS 15.4, *) {
          try await SKAdNetwork.updatePostbackConversionValue(values.fineValue)
        } else {
          SKAdNetwork.updateConversionValue(values.fineValue)
        }
      }
    }

    extension CoarseConversionValue {
      @available(iOS 16.1, *)
      fileprivate var ofSKAdNetwork: SKAdNetwork.CoarseConversionValue {
        switch self {
        case .low: .low
        case .medium: .medium
        case .high: .high
        }
      }
    }

    #if canImport(AdAttributionKit)
      extension ApplePostbacks {
        @available(iOS 17.4, *)
        private func updateAdAttributionKit(_ values: PostbackValues) async throws -> Bool {
          if #available(iOS 18.0, *) {
            guard Postback.isSupported else { return false }
            try await Postback.updateConversionValue(postbackUpdate(values))
          } else if values.conversionType == .install {
            if let coarse = values.coarseValue {
              try await Postback.updateConversionValue(
                values.fineValue,
                coarseConversionValue: coarse.ofAdAttributionKit,
                lockPostback: values.locksWindow
              )
            } else {
              try await Postback.updateConversionValue(values.fineValue, lockPostback: values.locksWindow)
            }
          } else {
            return false
          }
          return true
        }

        /// The update of one type of conversion, so that it leaves the values of the other type alone.
        @available(iOS 18.0, *)
        private func postbackUpdate(_ values: PostbackValues) -> PostbackUpdate {
          let types: [PostbackUpdate.ConversionType] = values.conversionType == .install ? [.install] : [.reengagement]
          if #available(iOS 18.4, *), let tag = values.conversionTag {
            return PostbackUpdate(
              fineConversionValue: values.fineValue,
              lockPostback: values.locksWindow,
              conversionTag: tag,
              coarseConversionValue: values.coarseValue?.ofAdAttributionKit,
              conversionTypes: types
            )
          }
          return PostbackUpdate(
            fineConversionValue: values.fineValue,
            lockPostback: values.locksWindow,
            coarseConversionValue: values.coarseValue?.ofAdAttributionKit,
            conversionTypes: types
          )
        }
      }

      extension CoarseConversionValue {
        @available(iOS 17.4, *)
        fileprivate var ofAdAttributionKit: AdAttributionKit.CoarseConversionValue {
          switch self {
          case .low: .low
          case .medium: .medium
          case .high: .high
          }
        }
      }
    #endif
  #endif
#endif
