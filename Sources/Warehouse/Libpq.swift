internal import CPQ

/// The library for connections to PostgreSQL, opened when it is first needed.
enum Libpq {
  /// Returns the functions of the library. Throws `.configuration` if it is not installed.
  @unsafe
  static func functions() throws(DatabaseFailure) -> cpq_functions {
    var reason: UnsafePointer<CChar>?
    guard let functions = unsafe cpq_open(&reason) else {
      throw DatabaseFailure(
        .configuration,
        "libpq cannot be used: \(unsafe text(reason))",
        advice: "Install the package that has libpq.so.5"
      )
    }
    return unsafe functions.pointee
  }

  /// Returns a text of the library; "" where it gives none.
  @unsafe
  static func text(_ text: UnsafePointer<CChar>?) -> String { unsafe text.map { unsafe String(cString: $0) } ?? "" }
}
