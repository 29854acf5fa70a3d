/// A sentence at the top of a report, with its weight and the section that has the evidence.
struct Finding {
  /// A part of the page.
  struct Section {
    /// The id of the element.
    let id: String
    /// The name in the link.
    let name: String
  }

  let sentence: String
  /// The certainty of the sentence, as a sentence; nil if it only counts.
  var certainty: String?
  let section: Section
  /// Indicates a suspicion. Suspicions come before what is merely counted.
  var isSuspicion = false
  /// Indicates a change from one period to the next, which comes after suspicions and before what is merely counted.
  var isChange = false
  /// The money that it is about, in the units of its currency; 0 if none is known.
  var money = 0.0
  /// The number of records that it is about.
  let rows: Int
}
