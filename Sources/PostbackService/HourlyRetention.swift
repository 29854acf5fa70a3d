internal import Base
internal import DurableFiles
internal import PostbackPipeline
internal import Spool
internal import Tables

/// The removal of rows and files that are too old while a consumer runs, once an hour.
///
/// A failure is logged and does not end the consumer: new postbacks matter more than old ones.
struct HourlyRetention {
  private let options: ConsumerOptions
  private var due = ContinuousClock.now

  private static let interval = Duration.seconds(3600)

  /// Makes the removal for a consumer, due at once.
  init(_ options: ConsumerOptions) { self.options = options }

  /// Removes some of what is too old if that is due and everything is committed. The rest is due with the next call.
  mutating func run(_ tables: TableWriter) {
    guard let age = options.retention, .now >= due, tables.isCommitted else { return }
    let before = Timestamp.now.milliseconds - Int64(age / .milliseconds(1))
    due = .now + Self.interval
    do throws(FileFailure) {
      let retention = try tables.remove(before: before, from: options.retainedTables)
      let files = try SpoolRetention(before: before, in: options.spool)
      if !retention.isComplete || !files.isComplete { due = .now }
      log(retention, files.count, before)
    } catch {
      options.log.error(
        "not_removed",
        "\(error) Rows and files from before \(Timestamp(milliseconds: before)) are kept, and looked for again in an hour.",
        ["path": .text(error.path)]
      )
    }
  }

  private func log(_ retention: TableRetention, _ files: Int, _ before: Int64) {
    if retention.isComplete {
      for path in retention.missing {
        options.log.warning(
          "part_missing",
          "\(path): the part is not there, so it was not removed",
          ["path": .text(path)]
        )
      }
    }
    guard !retention.removed.isEmpty || files > 0 else { return }
    options.log.info(
      "removed_old",
      "\(retention.removed.count) parts and \(files) files of the spool, from before \(Timestamp(milliseconds: before))",
      [
        "parts": .integer(Int64(retention.removed.count)), "rows": .integer(retention.removedRows),
        "files": .integer(Int64(files)),
      ]
    )
  }
}
