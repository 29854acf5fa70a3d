internal import ConversionModel
internal import DurableFiles
internal import JSON
package import PostbackPipeline
internal import TableReading
internal import Tables

/// The revenue of users by their fine values of the first window, as the events of apps tell it.
///
/// A row of `s2s_events` has the fine value of a user and the exact revenue that the user had in the first window by then. It
/// tells where in the range of a value the revenue of users is. The latest row of a user in the first window counts, if the revenue is
/// of one currency only.
package struct BucketWorths: Sendable {
  /// A user of an app.
  private struct User: Hashable {
    let bundle: String
    let id: String
  }

  /// A fine value of a user with the revenue in the first window.
  private struct Record {
    let time: Int64
    let value: Int
    let purchases: Sum
    let ads: Sum
  }

  /// A sum of money in one currency at most.
  private struct Sum {
    var amount = Amount.zero
    var currency: String?

    /// Adds the members of an object of amounts by currency; false if it has other members, or several currencies.
    mutating func add(_ text: String?) -> Bool {
      guard let text else { return true }
      guard case .object(let members)? = try? JSONValue(parsing: Array(text.utf8)) else { return false }
      for member in members {
        guard case .number(let number) = member.value, let amount = try? Amount(parsing: number) else { return false }
        guard amount > .zero else { continue }
        guard currency == nil || currency == member.key else { return false }
        currency = member.key
        self.amount += amount
      }
      return true
    }
  }

  private var users: [User: Record] = [:]

  /// Reads the events in an output; nothing if there are none.
  package init(readingEventsIn output: String, jobs: Int) async throws(PipelineFailure) {
    let files: TableFiles?
    do throws(FileFailure) { files = try TableFiles(derived: .sessionEvents, in: output) } catch { throw .state(error) }
    guard let files else { return }
    try await files.scan(jobs: jobs) { batch -> [(User, Record)] in
      var cursor = RowCursor(batch, of: .sessionEvents)
      var records: [(User, Record)] = []
      while cursor.next() {
        if let record = Self.record(cursor) { records.append(record) }
      }
      return records
    } take: { records in
      for (user, record) in records where record.time >= users[user]?.time ?? .min { users[user] = record }
    }
  }

  /// Reads a row; nil if it is of no known user, of a later window, or of several currencies.
  private static func record(_ row: borrowing RowCursor) -> (User, Record)? {
    func place(_ name: ColumnName) -> Int { Table.sessionEvents.place(name) }
    guard row.cell(place(.coarse1)) == nil, row.cell(place(.coarse2)) == nil,
      let bundle = row.text(place(.appBundleID)), let id = row.text(place(.idfv)), !id.isEmpty,
      let time = row.time(place(.receivedAt)), let value = row.integer(place(.currentFineValue))
    else { return nil }
    var (purchases, ads) = (Sum(), Sum())
    guard purchases.add(row.text(place(.purchases0))), ads.add(row.text(place(.ads0))) else { return nil }
    return (User(bundle: bundle, id: id), Record(time: time, value: Int(value), purchases: purchases, ads: ads))
  }

  /// Calls `body` with the fine value and the revenue of each user of a bundle, for a model whose revenue is of a kind and
  /// in a currency. Users with revenue in other currencies are left out.
  func forEachUser(of bundle: String, _ kind: RevenueKind, in currency: String, _ body: (Int, Amount) -> Void) {
    for (_, record) in users.filter({ $0.key.bundle == bundle }).sorted(by: { $0.key.id < $1.key.id }) {
      let sums = kind.parts(purchases: record.purchases, ads: record.ads)
      guard sums.allSatisfy({ $0.currency == nil || $0.currency == currency }) else { continue }
      body(record.value, sums.reduce(.zero) { $0 + $1.amount })
    }
  }
}

/// The mean revenue of users with a fine value, and its variance.
struct BucketWorth: Sendable {
  private(set) var count = 0.0
  private var sum = 0.0
  private var squares = 0.0

  /// The fewest users that tell the worth of a value.
  static let smallest = 30.0

  mutating func add(_ amount: Double) {
    count += 1
    sum += amount
    squares += amount * amount
  }

  var mean: Double { sum / count }
  var variance: Double { max(0, squares / count - mean * mean) * count / max(1, count - 1) }
}
