internal import Answers
internal import ConversionModel
internal import Reporting
internal import Statistics
internal import PageMarkup

/// The agreement of forwarders' conversion values with those of devices.
struct AgreementTable {
  /// The forwarders; nil if the output does not have `skan_settled`.
  let forwarders: [ForwarderAgreement]?
  /// The output, for the command that makes the table.
  let output: String

  var html: HTML {
    guard let forwarders else {
      return """
        <p class="note">The copies of postbacks are not compared yet. Make the comparison with \
        <code>postback settle \(output) --lookups DIR</code>, where <code>apps.csv</code> says since when devices send their \
        own copies.</p>
        """
    }
    guard forwarders.contains(where: { $0.compared > 0 }) else {
      return """
        <p class="note">No postback came from a device and from a forwarder, so that no forwarder can be judged. An app has to \
        ask for copies: <code>NSAdvertisingAttributionReportEndpoint</code> in its Info.plist.</p>
        """
    }
    return HTML.longTable(
      "Conversion values of forwarders, compared with devices' own copies",
      [
        "forwarder", "handed on", "with a device's copy", "compared", "agreement", "from", "to", "changed", "dropped",
        "added",
        "0 for null", "effect on revenue",
      ],
      forwarders
    ) { one, table in
      let rate = WilsonRate(one.agreeing, of: one.compared)
      let effect = Numbers.money(one.effect.filter { $0.value != .zero })
      table.add(
        one.forwarder ?? "without a name",
        cells: [
          .number(one.forwarded), .number(one.both), .number(one.compared),
          .amount(rate.rate.map(Numbers.percent) ?? ""),
        ] + rate.bounds + ForwarderAgreement.kinds.map { .number(one.differences[$0] ?? 0) }
          + [.amount(effect.isEmpty ? "none" : effect)]
      )
    }
  }

  /// The forwarder with the most differences; nil if there is no difference.
  var worst: ForwarderAgreement? { forwarders?.first.flatMap { $0.compared > $0.agreeing ? $0 : nil } }
}
