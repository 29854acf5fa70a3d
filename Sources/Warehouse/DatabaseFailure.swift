/// The failure of an operation on a database: the event, its cause and the advice.
package struct DatabaseFailure: Error, CustomStringConvertible {
  /// The category of a failure, which decides the exit status of the command.
  package enum Kind: Sendable {
    /// The address is wrong.
    case usage
    /// The database or its tables are not as they must be.
    case configuration
    /// The server refuses the role, or the role lacks a right.
    case noPermission
    /// The server cannot be reached, or the connection was lost.
    case unreachable
    /// Another session holds a lock, or the server asks for another attempt.
    case busy
    /// The server failed, such as on a full disk.
    case server
  }

  /// The category.
  package let kind: Kind
  /// The event with its cause, as a sentence without its full stop.
  package let event: String
  /// The advice, as sentences without the last full stop; nil if there is none.
  package let advice: String?
  /// Further lines, such as the statements that would help.
  package let details: [String]
  /// Indicates that a row has a key that the table has already.
  private(set) var isOfKnownKey = false

  init(_ kind: Kind, _ event: String, advice: String? = nil, details: [String] = []) {
    (self.kind, self.event, self.advice, self.details) = (kind, event, advice, details)
  }

  package var description: String {
    ([event] + (advice.map { [$0] } ?? [])).map { text in
      text.last.map { ".:?".contains($0) } ?? true ? text : "\(text)."
    }
    .joined(separator: " ")
  }

  /// Indicates that the same operation on a new connection may succeed.
  package var isTransient: Bool { kind == .unreachable || kind == .busy }
}

extension DatabaseFailure {
  /// The failure that a server reports with a code (SQLSTATE) while it carries out a statement. `task` is the noun phrase of
  /// what was done, such as `the rows of skan_postbacks`.
  static func server(_ code: String, _ message: String, doing task: String) -> DatabaseFailure {
    let (kind, advice) = category(of: code)
    var failure = DatabaseFailure(kind, "The database refused \(task): \(message)", advice: advice)
    failure.isOfKnownKey = code == "23505"
    return failure
  }

  /// The failure to open a connection; `code` is nil if no server has answered.
  static func connecting(_ code: String?, _ message: String, needsPassword: Bool) -> DatabaseFailure {
    guard let code else {
      return needsPassword
        ? DatabaseFailure(
          .noPermission,
          "The database asks for a password, and none is given",
          advice: "Give it in PGPASSWORD, in ~/.pgpass, or in a service file (service=NAME)"
        )
        : DatabaseFailure(
          .unreachable,
          "The database cannot be reached: \(message)",
          advice: "Start the server, or check --dsn"
        )
    }
    let (kind, advice) = category(of: code)
    return DatabaseFailure(kind, "The database refused the connection: \(message)", advice: advice)
  }

  /// The code of the error that a view or the like needs a column as it is.
  static let dependentObject = "0A000"

  /// Returns the category of an error code of PostgreSQL (appendix A of its manual), and the advice.
  private static func category(of code: String) -> (Kind, advice: String?) {
    switch code {
    case "42501":
      (
        .noPermission,
        """
        The role needs CREATE on the database for a new schema, USAGE and CREATE on the schema, TEMPORARY on the \
        database, and SELECT, INSERT, UPDATE and DELETE on tables that it does not own
        """
      )
    case "3D000": (.configuration, "Create the database, or check --dsn")
    case "42P01":
      (.configuration, "If a table was dropped while it was loaded, start the load again: it makes the table")
    case "25006":
      (
        .configuration,
        "Give the address of the primary if the server is a standby, or turn default_transaction_read_only off"
      )
    case dependentObject:
      (
        .configuration,
        "Nothing of this was done. If a view or a rule needs a column, drop it, run again, and make it again after the load"
      )
    case "53100": (.server, "Make room on the disk of the server, then run again: nothing of this was loaded")
    case "53300": (.busy, "Raise max_connections, or end other sessions")
    case "55P03": (.busy, "Another session holds a lock on the tables. Wait for it to end, then run again")
    case "57P01", "57P02", "57P03", "57P05": (.unreachable, "Run again when the server is up")
    case "22P05": (.configuration, "Load into a database with the encoding UTF8")
    default:
      switch code.prefix(2) {
      case "28": (.noPermission, "Check the role in --dsn, its password, and pg_hba.conf of the server")
      case "08": (.unreachable, "Run again when the server is up")
      case "40": (.busy, "Run again")
      case "53": (.server, "Give the server more resources, then run again: nothing of this was loaded")
      case "22", "23", "42", "3F": (.configuration, "Nothing of this was loaded")
      default: (.server, "Nothing of this was loaded; see the log of the server")
      }
    }
  }
}
