/// The source of a model's revenue.
public enum RevenueKind: String, CaseIterable, Sendable {
  /// Purchases and ads together.
  case all
  /// In-app purchases and subscriptions.
  case inAppPurchases = "iap"
  /// Ads shown in the app.
  case adMonetization = "admon"
}
