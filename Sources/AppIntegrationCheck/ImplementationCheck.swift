package import ConversionModel
internal import DurableFiles
package import PostbackPipeline
internal import Signatures
internal import TableReading

/// The check of an app's sessions and events, in bounded memory: rows are sorted by device and time, on disk if there are
/// many, and then checked device by device.
package struct ImplementationCheck: Sendable {
  /// The conversion models of the app; without them some rules are not checked.
  package var models = Models.none
  /// Indicates that devices' ids are shown as they are, and not as SHA-256.
  package var showsDevices = false
  /// The number of devices of which a rule has examples.
  package var exampleLimit = 5
  /// The folder for the temporary file.
  package var temporaryFolder: String
  /// The size of the buffer for sorting.
  package var bufferBytes = RecordSorter.usualBufferBytes

  private static let mostBadRows = 20

  package init(temporaryFolder: String) { self.temporaryFolder = temporaryFolder }

  /// Checks all rows of the inputs, and compares their values with those of postbacks.
  package func report(
    on inputs: [InputFile],
    postbacks: ReceivedValues? = nil
  ) async throws(PipelineFailure) -> ImplementationReport {
    var report = ImplementationReport()
    let sorter = RecordSorter(bufferBytes: bufferBytes, in: temporaryFolder)
    let files = inputs.map(\.path)
    let places = Dictionary(files.enumerated().map { ($1, UInt32($0)) }) { first, _ in first }
    var lastReceived: Int64 = 0
    var reader = SessionReader()
    var batches = PostbackReader(inputs: inputs).makeAsyncIterator()
    while let batch = try await batches.next() {
      do {
        try reader.read(batch) { result, path, line in
          report.rows += 1
          do {
            var record = try result.get()
            record.file = places[path] ?? 0
            let key = try record.sortKey()
            lastReceived = max(lastReceived, try record.receivedAt())
            try sorter.add(key, record.bytes)
          } catch let defect as SessionDefect {
            report.badRowCount += 1
            guard report.badRows.count < Self.mostBadRows else { return }
            report.badRows.append(.init(file: path, line: line, reason: defect.reason))
          }
        }
      } catch let failure as FileFailure {
        throw .state(failure)
      } catch let failure as LibcryptoFailure {
        throw .libcrypto(failure)
      } catch {
        preconditionFailure("reading rows throws no other error than those of files and of libcrypto: \(error)")
      }
    }
    try PipelineFailure.state { () throws(FileFailure) in
      try check(sorter.sorted(), until: lastReceived / 1000, files, postbacks, &report)
    }
    return report
  }

  private func check(
    _ records: SortedRecords,
    until lastReceived: Int64,
    _ files: [String],
    _ postbacks: ReceivedValues?,
    _ report: inout ImplementationReport
  ) throws(FileFailure) {
    var collector = FindingCollector(files: files, exampleLimit: exampleLimit)
    var values = DeviceValues(lastReceived: lastReceived)
    var check: (device: UInt128, label: String, DeviceCheck)?
    if !models.appIDs.isEmpty { report.rowsWithoutModel = 0 }
    func close() {
      guard let (_, label, checked) = check else { return }
      var device = checked
      device.finish()
      values.add(device.valueAfter48Hours)
      collector.add(label, device.findings)
      report.rowsWithoutModel? += device.rowsWithoutModel
    }
    while try records.next() {
      let record = SessionRecord(records.payload)
      let device = records.key >> SessionRecord.timeBits
      if check?.device != device {
        close()
        let label = showsDevices ? record.deviceID ?? "" : SessionRecord.hiddenID(device)
        check = (device, label, DeviceCheck(models: models))
      }
      // Rows that cannot be parsed were counted before sorting.
      guard let row = try? SessionValues(record) else { continue }
      check?.2.check(row, record)
    }
    close()
    collector.finish(&report)
    if let postbacks { report.compare(values, with: postbacks, models) }
  }
}
