internal import DurableFiles
package import LookupTables
package import TestSupport

/// A folder of lookup tables.
package struct LookupFolder {
  package let folder: TemporaryFolder

  /// The tables in a folder.
  package init(_ folder: TemporaryFolder) { self.folder = folder }

  /// Writes the tables, by file name.
  package init(_ files: [String: String]) throws {
    folder = try TemporaryFolder()
    for (name, text) in files { try folder.makeFile(name, holding: Array(text.utf8)) }
  }

  /// Loads the tables.
  package func load(dates: LookupDateFormat? = nil, allowingOverlap: Bool = false) throws -> Lookups {
    try Lookups(in: folder.path(""), dates: dates, allowingOverlap: allowingOverlap)
  }

  /// The problems of the tables: for each the file's name, the line and the column.
  package func problems(dates: LookupDateFormat? = nil, allowingOverlap: Bool = false) -> [String] {
    do {
      _ = try load(dates: dates, allowingOverlap: allowingOverlap)
      return []
    } catch Lookups.Failure.tables(let errors) {
      return errors.problems.map(\.place)
    } catch {
      return ["\(error)"]
    }
  }
}

extension LookupProblem {
  /// The file's name, the line and the column.
  package var place: String {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    return "\(name):\(line.map(String.init) ?? "-"):\(column ?? "-")"
  }
}
