/// What a model's revenue comes from.
public enum RevenueKind: String, CaseIterable, Sendable {
  /// Purchases and ads together.
  case all
  /// In-app purchases and subscriptions.
  case inAppPurchases = "iap"
  /// Ads shown in the app.
  case adMonetization = "admon"
}
