internal import DerivedTables
internal import Statistics
package import TableReading
// The bytes of what signals count.

extension SignalCluster {
  func encode(_ writer: inout CompactWriter) {
    for text in [app, network, forwarder, campaign] { writer.append(text) }
    writer.append(week)
    for number in [window, family, form] { writer.append(number) }
    writer.append(model)
  }

  init(_ reader: inout CompactReader) {
    (app, network) = (reader.text(), reader.text())
    (forwarder, campaign) = (reader.optionalText(), reader.text())
    week = reader.integer()
    (window, family, form) = (reader.byte(), reader.byte(), reader.byte())
    model = reader.hash()
  }
}

extension ClusterCounts {
  func encode(_ writer: inout CompactWriter) {
    let values = fine.enumerated().filter { $0.element > 0 }
    writer.append(values) { writer, value in
      writer.append(value.offset)
      writer.append(value.element)
    }
    for count in [coarse.0, coarse.1, coarse.2] { writer.append(count) }
    for rate in [redownload, viewThrough, nulls] { rate.encode(&writer) }
    writer.append(postbacks)
    writer.append(countries) { writer, country in
      writer.append(Int(country.key))
      writer.append(country.value)
    }
  }

  init(_ reader: inout CompactReader) {
    self.init()
    reader.forEach { reader in
      let value = reader.count()
      add(fine: value, count: reader.integer())
    }
    coarse = (reader.integer(), reader.integer(), reader.integer())
    (redownload, viewThrough) = (Rate(&reader), Rate(&reader))
    (nulls, postbacks) = (Rate(&reader), reader.count())
    reader.forEach { reader in
      let country = UInt16(truncatingIfNeeded: reader.count())
      countries[country] = reader.integer()
    }
  }
}

extension SenderValues.Campaign: Compact {
  func encode(_ writer: inout CompactWriter) { for text in [app, network, campaign] { writer.append(text) } }

  init(_ reader: inout CompactReader) {
    (app, network, campaign) = (reader.text(), reader.text(), reader.text())
  }
}

extension SenderValues.Key: Compact {
  func encode(_ writer: inout CompactWriter) {
    for number in [group.campaign, forwarder, day] { writer.append(number) }
    for number in [group.window, group.family] { writer.append(number) }
    writer.append(Int(group.segment))
    writer.append(group.model)
  }

  init(_ reader: inout CompactReader) {
    let campaign: Int32 = reader.integer()
    (forwarder, day) = (reader.integer(), reader.integer())
    let (window, family) = (reader.byte(), reader.byte())
    let segment = UInt32(truncatingIfNeeded: reader.count())
    group = .init(campaign: campaign, window: window, family: family, segment: segment, model: reader.hash())
  }
}

extension SenderValues.Counts: Compact {
  func encode(_ writer: inout CompactWriter) {
    let values = (0..<16).filter { fine[$0] > 0 }
    writer.append(values) { writer, place in
      for number in [place, Int(fine[place])] { writer.append(number) }
    }
    for number in [coarse[0], coarse[1], coarse[2], nulls, total] { writer.append(Int(number)) }
  }

  init(_ reader: inout CompactReader) {
    self.init()
    func next() -> UInt32 { UInt32(truncatingIfNeeded: reader.count()) }
    for _ in 0..<reader.count() { fine[reader.count()] = next() }
    for place in 0..<3 { coarse[place] = next() }
    (nulls, total) = (next(), next())
  }
}

extension SignalCounts: PartResult {
  /// Indicates that those of a division of the rows are those of all rows, also if some are left out.
  package var isWhole: Bool { true }

  package func encode(_ result: inout ResultWriter) {
    CompactWriter.write(to: &result) { writer in
      clusters.encode(&writer)
      sent.encode(&writer)
      rates.encode(&writer)
      transactions.encode(&writer)
      changes.encode(&writer)
      risk.encode(&writer)
      delay.encode(&writer)
      values.encode(&writer)
      deviceFields.encode(&writer)
      writer.append(zeros) { writer, entry in
        writer.append(entry.key)
        entry.value.encode(&writer)
      }
      writer.append(nullsAsZeros) { writer, entry in
        writer.append(entry.key)
        entry.value.encode(&writer)
      }
      writer.append(lateReplays) { writer, entry in
        writer.append(entry.key)
        writer.append(entry.value)
      }
      for count in [postbacks, settled, enriched, unfollowed] { writer.append(count) }
    }
  }

  package init(_ result: inout ResultReader) {
    self.init()
    CompactReader.read(&result) { reader in
      clusters.read(&reader)
      sent.read(&reader)
      (rates, transactions) = (SignalRates(&reader), SharedTransactions(&reader))
      (changes, risk) = (ValueChanges(&reader), ForwardingRisk(&reader))
      (delay, values) = (ForwardingDelay(&reader), SenderValues(&reader))
      deviceFields = DeviceFields(&reader)
      reader.forEach { zeros[$0.text()] = DaySeries(&$0) }
      reader.forEach { nullsAsZeros[$0.text()] = Rate(&$0) }
      reader.forEach { lateReplays[$0.text()] = $0.count() }
      (postbacks, settled) = (reader.count(), reader.count())
      (enriched, unfollowed) = (reader.count(), reader.count())
    }
  }
}

extension Rate: Compact {
  func encode(_ writer: inout CompactWriter) {
    writer.append(count)
    writer.append(total)
  }

  init(_ reader: inout CompactReader) { self.init(count: reader.count(), total: reader.count()) }
}
