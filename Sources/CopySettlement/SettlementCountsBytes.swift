internal import Base
internal import PostbackCopies
internal import TableReading

extension SettlementCounts {
  func encode(_ writer: inout ResultWriter) {
    writer.append(groups) { writer, group in
      writer.append(group.key.network)
      writer.append(group.key.appID)
      writer.append(group.key.week)
      group.value.all.encode(&writer)
      writer.append(group.value.forwarders) { writer, party in
        writer.append(party.key?.text)
        party.value.encode(&writer)
      }
    }
    writer.append(changes) { writer, change in
      writer.append(change.key.appID)
      writer.append(change.key.currency)
      writer.append(change.value.rows)
      writer.append(change.value.before)
      writer.append(change.value.after)
    }
    writer.append(trustLevels) { $0.append($1) }
    writer.append(undated) { writer, app in
      writer.append(app.key)
      writer.append(app.value)
    }
    writer.append(firstDirect) { writer, app in
      writer.append(app.key)
      writer.append(app.value)
    }
    receipts.encode(&writer)
  }

  /// Reads what `encode` has written.
  init(_ reader: inout ResultReader) {
    self.init()
    groups = reader.dictionary { reader in
      let key = Key(network: reader.text(), appID: reader.integer(), week: reader.optional())
      let all = PartyCounts(&reader)
      return (key, Group(all: all, forwarders: reader.dictionary { ($0.optionalText()?.exact, PartyCounts(&$0)) }))
    }
    changes = reader.dictionary { reader in
      let key = ChangeKey(appID: reader.integer(), currency: reader.optionalText())
      return (key, Change(rows: reader.count(), before: reader.amount(), after: reader.amount()))
    }
    trustLevels = reader.array { $0.count() }
    undated = reader.dictionary { ($0.integer(), $0.count()) }
    firstDirect = reader.dictionary { ($0.integer(), $0.integer()) }
    receipts = LatestReceipts(&reader)
  }
}

extension PartyCounts {
  fileprivate func encode(_ writer: inout ResultWriter) {
    for count in [direct, forwarded, both, changedValues, valueChange, raisedValues] { writer.append(count) }
    writer.append(fields) { writer, field in
      writer.append(field.key.rawValue)
      writer.append(field.value.compared)
      writer.append(field.value.differences) { $0.append($1) }
    }
    writer.append(revenueEffect) { writer, effect in
      writer.append(effect.key)
      writer.append(effect.value)
    }
    writer.append(otherConflicts) { $0.append($1) }
    for counts in [days.direct, days.forwarded, days.onlyDirect, days.onlyForwarded] {
      writer.append(counts) { $0.append($1) }
    }
  }

  fileprivate init(_ reader: inout ResultReader) {
    self.init()
    (direct, forwarded, both) = (reader.count(), reader.count(), reader.count())
    (changedValues, valueChange, raisedValues) = (reader.count(), reader.count(), reader.count())
    fields = reader.dictionary { reader in
      let field = UnsignedField(rawValue: reader.count()) ?? .conversionValue
      return (field, FieldCounts(compared: reader.count(), differences: reader.differences()))
    }
    revenueEffect = reader.dictionary { ($0.text(), $0.amount()) }
    otherConflicts = reader.differences()
    days.direct = reader.array { $0.count() }
    days.forwarded = reader.array { $0.count() }
    days.onlyDirect = reader.array { $0.count() }
    days.onlyForwarded = reader.array { $0.count() }
  }
}

extension ResultWriter {
  fileprivate mutating func append(_ difference: Dictionary<FieldDifference, Int>.Element) {
    append(difference.key.rawValue)
    append(difference.value)
  }
}

extension ResultReader {
  fileprivate mutating func differences() -> [FieldDifference: Int] {
    dictionary { (FieldDifference(rawValue: $0.text()) ?? .changed, $0.count()) }
  }
}
