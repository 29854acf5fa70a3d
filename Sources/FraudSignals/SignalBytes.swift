internal import DerivedTables
internal import LookupTables
internal import PostbackCopies
internal import Statistics
package import TableReading
// The bytes of what signals count.

extension SignalName: Compact {}
extension SignalParty.Kind: Compact {}
extension UnsignedField: Compact {}

extension SignalCluster {
  func encode(_ writer: inout CompactWriter) {
    writer.append(app, network, forwarder, campaign, week, window, family, form, model)
  }

  init(_ reader: inout CompactReader) {
    (app, network, forwarder, campaign, week, window, family, form, model) = reader.values()
  }
}

extension ClusterCounts {
  func encode(_ writer: inout CompactWriter) {
    let values = fine.enumerated().filter { $0.element > 0 }
    writer.append(values) { $0.append($1.offset, $1.element) }
    writer.append(coarse[0], coarse[1], coarse[2], redownload, viewThrough, nulls, postbacks, countries)
  }

  init(_ reader: inout CompactReader) {
    self.init()
    reader.forEach { add(fine: Int(&$0), count: Int32(&$0)) }
    (coarse[0], coarse[1], coarse[2], redownload, viewThrough, nulls, postbacks, countries) = reader.values()
  }
}

extension SenderValues.Campaign: Compact {
  func encode(_ writer: inout CompactWriter) { writer.append(app, network, campaign) }
  init(_ reader: inout CompactReader) { (app, network, campaign) = reader.values() }
}

extension SenderValues.Key: Compact {
  func encode(_ writer: inout CompactWriter) {
    writer.append(group.campaign, forwarder, day, group.window, group.family, group.segment, group.model)
  }

  init(_ reader: inout CompactReader) {
    let (campaign, window, family): (Int32, UInt8, UInt8)
    let (segment, model): (UInt32, UInt64)
    (campaign, forwarder, day, window, family, segment, model) = reader.values()
    group = .init(campaign: campaign, window: window, family: family, segment: segment, model: model)
  }
}

extension SenderValues.Hour: Compact {
  func encode(_ writer: inout CompactWriter) { writer.append(campaign, forwarder, hour) }
  init(_ reader: inout CompactReader) { (campaign, forwarder, hour) = reader.values() }
}

extension SenderValues.CountryDay: Compact {
  func encode(_ writer: inout CompactWriter) { writer.append(campaign, forwarder, day, country) }
  init(_ reader: inout CompactReader) { (campaign, forwarder, day, country) = reader.values() }
}

extension SenderValues.Counts: Compact {
  func encode(_ writer: inout CompactWriter) {
    writer.append((0..<16).filter { fine[$0] > 0 }) { $0.append($1, fine[$1]) }
    writer.append(coarse[0], coarse[1], coarse[2], nulls, total)
  }

  init(_ reader: inout CompactReader) {
    self.init()
    reader.forEach { fine[Int(&$0)] = UInt32(&$0) }
    (coarse[0], coarse[1], coarse[2], nulls, total) = reader.values()
  }
}

extension SignalCounts: PartResult {
  /// Indicates that those of a division of the rows are those of all rows, also if some are left out.
  package var isWhole: Bool { true }

  package func encode(_ result: inout ResultWriter) {
    CompactWriter.write(to: &result) { writer in
      clusters.encode(&writer)
      sent.encode(&writer)
      writer.append(rates, transactions, changes, risk, delay, values, deviceFields)
      writer.append(zeros, nullsAsZeros, lateReplays, postbacks, settled, enriched, unfollowed)
    }
  }

  package init(_ result: inout ResultReader) {
    self.init()
    CompactReader.read(&result) { reader in
      (clusters, sent, rates, transactions, changes, risk, delay, values, deviceFields) = reader.values()
      (zeros, nullsAsZeros, lateReplays, postbacks, settled, enriched, unfollowed) = reader.values()
    }
  }
}

extension Rate: Compact {
  func encode(_ writer: inout CompactWriter) { writer.append(count, total) }
  init(_ reader: inout CompactReader) { self.init(count: Int(&reader), total: Int(&reader)) }
}
