/// The kind of a delivery.
enum DeliveryKind: String, CaseIterable, Sendable {
  /// The postback of an install.
  case install
  /// The postback of an install of an app that was installed before.
  case redownload
  /// The postback of a user who came back to an installed app.
  case reengagement
  /// An event that a postback decodes to.
  case event
  /// The new values of a delivery that were restated after it was delivered.
  case correction
}
