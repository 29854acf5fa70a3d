/// The outcome of decoding a conversion value. The raw values stand in the tables.
public enum DecodeStatus: String, CaseIterable, Sendable {
  /// The model in force gives the value a meaning.
  case decoded
  /// The postback has no conversion value, which is not 0.
  case null
  /// The model in force does not list the value.
  case unmapped
  /// The app has no model for that install date.
  case noModel = "no_model"
  /// Models of the possible install dates disagree on the meaning, or some of the dates have no model.
  case ambiguous
  /// The ad did not win the attribution; such a postback is never valued.
  case notWon = "not_won"
}
