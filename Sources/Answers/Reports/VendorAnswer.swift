internal import Base
internal import ConversionModel
package import VendorReports

/// The counts of vendors' exports beside those of what Apple signed, as text.
package struct VendorAnswer {
  let vendors: [VendorReport]

  package init(vendors: [VendorReport]) { self.vendors = vendors }

  private static let mostSentences = 10

  /// The counts of each vendor, and the differences beyond chance; empty if no export was imported.
  package var parts: [String] {
    guard !vendors.isEmpty else { return [] }
    var table = TextTable(
      ["vendor", "counts", "Apple signed", "difference", "vendor's revenue", "decoded revenue"],
      numbersIn: Set(1...5)
    )
    for vendor in vendors {
      let total = vendor.total
      table.add(
        vendor.vendor.withControlCharactersEscaped,
        "\(total.imported)",
        "\(total.verified)",
        Self.signed(total.imported - total.verified),
        Numbers.money(total.importedRevenue),
        Numbers.money(total.verifiedRevenue)
      )
    }
    let title = "what vendors' exports count beside what Apple signed, of the same apps, networks and days; never added"
    return [title, table.text(indent: 2)] + agreement + sentences
  }

  /// The agreement of the rows that name a transaction; empty if there are none.
  package var agreement: [String] {
    let vendors = vendors.filter { $0.total.transactions > 0 }
    guard !vendors.isEmpty else { return [] }
    var table = TextTable(
      [
        "vendor", "with a transaction", "accepted here", "same value", "another", "0 for none", "only its",
        "only Apple's", "no value",
      ],
      numbersIn: Set(1...8)
    )
    for vendor in vendors {
      let (total, values) = (vendor.total, vendor.total.values)
      let counts = [
        total.transactions, total.matched, values.equal, values.different, values.zeroForNull, values.importedOnly,
        values.verifiedOnly, values.absentBoth,
      ]
      table.add([vendor.vendor.withControlCharactersEscaped] + counts.map { "\($0)" })
    }
    return [
      "rows of vendors' exports by the value of the accepted postback of their transaction", table.text(indent: 2),
    ]
  }

  /// The differences beyond chance, as sentences with what may explain them first.
  private var sentences: [String] {
    let differences = vendors.flatMap(\.differences)
    guard !differences.isEmpty else { return [] }
    let lines = differences.prefix(Self.mostSentences).map {
      VendorSentence(test: $0).text.withControlCharactersEscaped
    }
    let more = differences.count - lines.count
    return ["differences beyond chance, which need not be wrong. \(VendorSentence.explanations)"] + lines
      + (more > 0 ? ["and \(more) more; see --json"] : [])
  }

  private static func signed(_ number: Int64) -> String { number > 0 ? "+\(number)" : "\(number)" }
}

/// A test of what a vendor says, as sentences for an analyst. They name no cause and accuse nobody.
package struct VendorSentence {
  private let test: VendorTest

  package init(test: VendorTest) { self.test = test }

  /// The harmless reasons that a difference may have, as one sentence.
  package static let explanations = """
    Days of another time zone, exports of a part of the postbacks or of other conversion windows, postbacks that reach only one of \
    both, and values that the vendor fills in for missing ones make such differences.
    """

  /// The numbers of both sides, with the days.
  package var text: String {
    let (sums, values) = (test.sums, test.sums.values)
    switch test.name {
    case .morePostbacks, .fewerPostbacks:
      let difference = Double(sums.imported - sums.verified)
      let share =
        sums.verified > 0
        ? ", \(Numbers.percent(abs(difference) / Double(sums.verified))) \(difference > 0 ? "more" : "fewer")" : ""
      return """
        The export of \(test.vendor) counts \(Numbers.grouped(sums.imported)) postbacks\(subject) \(period), and the accepted postbacks \
        that Apple signed are \(Numbers.grouped(sums.verified))\(share). \(certainty)
        """
    case .otherValues:
      let lower = values.different - values.higher
      return """
        The export of \(test.vendor) has another conversion value than the accepted postback of the same transaction in \
        \(Numbers.grouped(values.others)) of \(Numbers.grouped(values.compared)) postbacks\(subject) \(period): \
        \(Numbers.grouped(values.higher)) are higher, \(Numbers.grouped(lower)) are lower or of another kind, and \
        \(Numbers.grouped(values.importedOnly)) are where the postback has none. \(certainty)
        """
    }
  }

  private var subject: String {
    (test.network.map { " of the network \($0)" } ?? "") + (test.app.map { " and the app \($0)" } ?? "")
  }

  private var period: String {
    let (first, last) = (test.days.lowerBound, test.days.upperBound)
    return """
      on \(test.dayCount) days from \(Timestamp.name(ofDay: first)) to \
      \(Timestamp.name(ofDay: last))
      """
  }

  private var certainty: String {
    let p = test.correctedPValue
    let number = p < 0.0001 ? "fewer than 1 in 10\u{202F}000" : "at most 1 in \(Numbers.grouped(Int(1 / p)))"
    let tolerance = Numbers.percent(test.name.tolerance)
    return """
      By chance, \(number) exports would differ by so much more than \(tolerance), if you look once: looking daily raises this chance.
      """
  }
}
