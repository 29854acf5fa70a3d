internal import DurableFiles
internal import Ledger
internal import Reporting
internal import Tables

extension TablesOptions {
  /// Throws unless tables may be written into a folder: it must be neither in a table of another output nor in a state, where
  /// they would be taken for parts of it.
  static func verifyPlace(_ path: String) throws {
    let names = Set((Table.all + Table.derived).map(\.name))
    var folder = WholePath.resolved(path)
    while !folder.isEmpty {
      let (parent, name) = WholePath.parts(of: folder)
      let isTable = names.contains(name) && hasParts(folder)
      if isTable || (name == StateFolder.name && Ledger.isThere(folder)) {
        throw CommandFailure(
          .usage,
          "The folder \(path) is in \(isTable ? "a table" : "the state") of another output, \(folder). "
            + "Give a folder outside of it with --out."
        )
      }
      folder = parent
    }
  }

  /// Throws if folders are among the files of a spool, which its consumer moves and removes.
  static func verify(_ folders: [String], outsideOf spool: String) throws {
    let whole = WholePath.resolved(spool)
    for folder in folders {
      let path = WholePath.resolved(folder)
      for name in ["new", "tmp", "done", "failed"] where "\(path)/".hasPrefix("\(whole)/\(name)/") {
        throw CommandFailure(
          .usage,
          "The folder \(folder) is in \(spool)/\(name), whose files are moved and removed. Give a folder outside of the spool."
        )
      }
    }
  }

  /// Throws if the folder of apps' events is a spool itself, or among its files.
  static func verify(events: String?, outsideOf spool: String) throws {
    guard let events else { return }
    guard WholePath.resolved(events) != WholePath.resolved(spool) else {
      throw CommandFailure(
        .usage,
        "The events and the postbacks have the same folder, \(spool). Give the events a folder of their own."
      )
    }
    try verify([events], outsideOf: spool)
  }

  private static func hasParts(_ folder: String) -> Bool {
    let names = (try? DurableFolder(folder).names()) ?? []
    return names.contains {
      $0.hasPrefix(LedgerPart.namePrefix) || $0.hasPrefix(".\(LedgerPart.namePrefix)") || $0.hasPrefix("received_day=")
    }
  }
}
