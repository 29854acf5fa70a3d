internal import Base
package import DurableFiles
internal import Ledger
package import Signatures

/// The lookup tables of a folder.
package struct Lookups: Sendable {
  /// The ad networks.
  package private(set) var networks = Networks()
  /// The advertised apps.
  package private(set) var apps = AppNames()
  /// The apps and websites that show ads.
  package private(set) var sourceApps = SourceAppNames()
  /// The campaigns, by the identifiers in postbacks.
  package let campaigns: CampaignIndex
  /// The files of the folder, in the order of the names; none if there is no folder.
  package private(set) var files: [LookedUpFile] = []
  /// The number of rows of `campaigns`.
  package private(set) var campaignCount = 0
  /// The remarks on the tables that do not make them unusable.
  package let warnings: [LookupProblem]
  /// The SHA-256 of the tables' content in hexadecimal digits: for each table in the order of the names its name, its length
  /// in bytes, each with a line end, and its bytes.
  package let hexadecimalDigest: String

  /// The error of loading lookup tables.
  package enum Failure: Error {
    /// The folder or a file cannot be read.
    case file(FileFailure)
    /// The tables have problems.
    case tables(LookupErrors)
    /// libcrypto failed.
    case libcrypto(LibcryptoFailure)
  }

  /// The names of the tables, without `.csv` or `.json`, in their order.
  private static let names = ["apps", "campaigns", "networks", "source_apps"]

  /// Loads the tables in a folder; each may be absent. Rows of `campaigns` that contradict each other are problems,
  /// unless `allowingOverlap`. Throws all problems of all tables at once.
  package init(
    in folder: String,
    dates: LookupDateFormat? = nil,
    allowingOverlap: Bool = false
  ) throws(Failure) {
    var findings = LookupFindings()
    let files = try Self.files(in: folder, dates, &findings)
    do { hexadecimalDigest = try Self.digest(of: files) } catch { throw .libcrypto(error) }
    if let file = files["networks"] { networks.read(file, &findings) }
    if let file = files["apps"] { apps.read(file, &findings) }
    if let file = files["source_apps"] { sourceApps.read(file, &findings) }
    var campaigns = Campaigns()
    if let file = files["campaigns"] {
      campaigns.read(file, networks, &findings)
      campaigns.checkOverlaps(in: file.path, allowed: allowingOverlap, &findings)
    }
    do { try findings.throwIfAny() } catch { throw .tables(error) }
    warnings = findings.warnings
    campaignCount = campaigns.rows.count
    let counts = [apps.count, campaignCount, networks.count, sourceApps.count]
    self.files = zip(Self.names, counts).map { name, count in
      LookedUpFile(
        name: name,
        path: files[name]?.path ?? "\(folder)/\(name).csv",
        rowCount: files[name] == nil ? nil : count
      )
    }
    self.campaigns = CampaignIndex(campaigns)
  }

  /// The lookup tables of an operator that maintains none. Throws if libcrypto fails.
  package static func none() throws(Failure) -> Lookups { try Lookups() }

  private init() throws(Failure) {
    do { hexadecimalDigest = try Self.digest(of: [:]) } catch { throw .libcrypto(error) }
    campaigns = CampaignIndex(Campaigns())
    warnings = []
  }

  private static func files(
    in folder: String,
    _ dates: LookupDateFormat?,
    _ findings: inout LookupFindings
  ) throws(Failure) -> [String: LookupFile] {
    do throws(FileFailure) {
      var files: [String: LookupFile] = [:]
      for entry in try Directory.names(in: folder) where entry.hasSuffix(".csv") || entry.hasSuffix(".json") {
        let path = "\(folder)/\(entry)"
        let name = String(entry.prefix { $0 != "." })
        guard names.contains(name), entry == "\(name).csv" || entry == "\(name).json" else {
          let nearest = name.nearest(among: names).map { " Did you mean \($0)?" } ?? ""
          let reason = "The file is no lookup table, and is not read.\(nearest)"
          if !entry.hasPrefix(".") { findings.warn(LookupProblem(file: path, line: nil, column: nil, reason: reason)) }
          continue
        }
        if let other = files[name] {
          let reason = "The table is also in \(other.path). Remove one of both."
          findings.add(LookupProblem(file: path, line: nil, column: nil, reason: reason))
          continue
        }
        files[name] = try LookupFile(at: path, dates: dates)
      }
      guard !files.isEmpty else {
        throw FileFailure(
          .notFound,
          folder,
          "There is no lookup table in this directory",
          advice: "Put networks.csv, apps.csv, source_apps.csv or campaigns.csv there"
        )
      }
      return files
    } catch {
      throw .file(error)
    }
  }

  private static func digest(of files: [String: LookupFile]) throws(LibcryptoFailure) -> String {
    var hash = try SHA256()
    for name in names {
      guard let file = files[name] else { continue }
      let entry = file.path.split(separator: "/").last ?? ""
      try hash.update(Array("\(entry)\n\(file.bytes.count)\n".utf8).span)
      try hash.update(file.bytes.span)
    }
    return try hash.finish().hexadecimal
  }
}

/// A lookup table or the costs, as a file that tables are made with.
package struct LookedUpFile: Sendable {
  /// The name of the table.
  package let name: String
  /// The path; that of the CSV file if it is missing.
  package let path: String
  /// The number of entries; nil if the file is missing.
  package let rowCount: Int?

  package init(name: String, path: String, rowCount: Int?) {
    (self.name, self.path, self.rowCount) = (name, path, rowCount)
  }
}
