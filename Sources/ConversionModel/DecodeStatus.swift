/// How far a conversion value could be decoded. The raw values stand in the tables.
public enum DecodeStatus: String, CaseIterable, Sendable {
  /// The model in force says what the value means.
  case decoded
  /// The postback has no conversion value, which is not 0.
  case null
  /// The model in force does not list the value.
  case unmapped
  /// The app has no model for that install date.
  case noModel = "no_model"
  /// Models of the possible install dates do not agree on what the value means.
  case ambiguous
  /// The ad did not win the attribution; such a postback is never valued.
  case notWon = "not_won"
}
