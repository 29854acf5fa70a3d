internal import Analysis
internal import JSON
internal import SKAdNetwork

/// Signals among accepted postbacks, as text or JSON.
struct SignalsAnswer {
  let survey: SignalSurvey
  /// The maximum number of networks, and of comparisons, to print.
  let top: Int

  /// One JSON object.
  var json: JSONValue {
    .object([
      .init("networks", .array(survey.networks.prefix(top).map { json($0.network, $0.signals) })),
      .init("all_networks", json(nil, survey.total)),
      .init("value_test", .string("Pearson chi-square test of homogeneity, Holm correction")),
      .init("value_comparisons", .array(survey.comparisons.prefix(top).map(json))),
      .init("uncounted_postbacks", .integer(survey.uncounted)),
      .init("unfollowed_copies", .integer(survey.unfollowedCopies)),
    ])
  }

  private func json(_ network: String?, _ signals: NetworkSignals) -> JSONValue {
    let flags = zip(TierFlags.names, signals.tierFlags).filter { $1 > 0 }
    return .object([
      .init("ad_network_id", network.map { .string($0) } ?? .null),
      .init("accepted", .integer(signals.accepted)),
      .init("tier_impossible", .integer(signals.flagged)),
      .init("tier_flags", .object(flags.map { .init($0.name, .integer($1)) })),
      .init("redownload", json(signals.redownload)),
      .init("view_through", json(signals.viewThrough)),
      .init("did_win", json(signals.won)),
      .init("copies", .integer(signals.copies)),
      .init("copied_postbacks", .integer(signals.copied)),
      .init("most_copies_of_one", .integer(signals.mostCopies)),
      .init("late_replays", .integer(signals.lateReplays)),
    ])
  }

  private func json(_ share: ShareCount) -> JSONValue {
    .object([
      .init("count", .integer(share.count)), .init("of", .integer(share.total)),
      .init("share", .share(share.count, of: share.total)),
    ])
  }

  private func json(_ comparison: ValueComparison) -> JSONValue {
    .object([
      .init("app_id", .string(comparison.app)),
      .init("ad_network_id", .string(comparison.network)),
      .init("values", .integer(comparison.valueCount)),
      .init("values_of_others", .integer(comparison.otherValueCount)),
      .init("chi_square", .decimal(comparison.test.statistic)),
      .init("degrees_of_freedom", .integer(comparison.test.degreesOfFreedom)),
      .init("p_value", .number("\(comparison.test.pValue)")),
      .init("p_value_corrected", .number("\(comparison.correctedPValue)")),
      .init("cramers_v", .decimal(comparison.test.cramersV)),
      .init("most_excessive_value", .integer(comparison.excess.value)),
      .init("its_share", .decimal(comparison.excess.share)),
      .init("its_share_of_others", .decimal(comparison.excess.otherShare)),
    ])
  }

  /// Tables, each with a title.
  var text: String {
    var parts = ["accepted postbacks by ad network (impossible: with fields that Apple's data tiers rule out)"]
    parts.append(networks.text(indent: 2))
    if survey.total.flagged > 0 { parts += ["impossible fields, by network", flags.text(indent: 2)] }
    if !survey.comparisons.isEmpty {
      parts.append(
        """
        fine conversion values of a network for an app, compared with those of all other networks for the same app
          (Pearson's chi-square test of homogeneity; p is corrected for \(survey.comparisons.count) tests by Holm's method;
          Cramér's V is the size of the difference, from 0 to 1: with much data, p is small for any difference)
        """
      )
      parts.append(comparisons.text(indent: 2))
    }
    if survey.uncounted > 0 { parts.append("\(survey.uncounted) postbacks of further networks are not counted") }
    if survey.unfollowedCopies > 0 {
      parts.append("\(survey.unfollowedCopies) copies of further postbacks are not counted")
    }
    return parts.joined(separator: "\n\n")
  }

  private var networks: TextTable {
    var table = TextTable(
      [
        "network", "accepted", "impossible", "redownloads", "view-through", "won", "copies", "most of one",
        "late replays",
      ],
      numbersIn: [1, 2, 3, 4, 5, 6, 7, 8]
    )
    for (network, signals) in survey.networks.prefix(top) + [("all", survey.total)] {
      table.add(
        network,
        "\(signals.accepted)",
        "\(Share(signals.flagged, of: signals.accepted))",
        "\(Share(signals.redownload.count, of: signals.redownload.total))",
        "\(Share(signals.viewThrough.count, of: signals.viewThrough.total))",
        "\(Share(signals.won.count, of: signals.won.total))",
        "\(signals.copies)",
        "\(signals.mostCopies)",
        "\(signals.lateReplays)"
      )
    }
    return table
  }

  private var flags: TextTable {
    var table = TextTable(numbersIn: [2])
    for (network, signals) in survey.networks.prefix(top) {
      for (flag, count) in zip(TierFlags.names, signals.tierFlags) where count > 0 {
        table.add(network, flag.name, "\(count)")
      }
    }
    return table
  }

  private var comparisons: TextTable {
    var table = TextTable(
      ["app", "network", "values", "of others", "chi-square", "df", "p", "V", "most in excess"],
      numbersIn: [2, 3, 4, 5, 6, 7]
    )
    for comparison in survey.comparisons.prefix(top) {
      let excess = comparison.excess
      table.add(
        comparison.app,
        comparison.network,
        "\(comparison.valueCount)",
        "\(comparison.otherValueCount)",
        "\((comparison.test.statistic * 10).rounded() / 10)",
        "\(comparison.test.degreesOfFreedom)",
        comparison.correctedPValue < 0.0001
          ? "< 0.0001" : "\((comparison.correctedPValue * 10_000).rounded() / 10_000)",
        "\((comparison.test.cramersV * 1000).rounded() / 1000)",
        "value \(excess.value): \(Self.percent(excess.share)), others \(Self.percent(excess.otherShare))"
      )
    }
    return table
  }

  private static func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }
}
