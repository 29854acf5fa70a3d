internal import CPQ

/// The address of a database: a URL or a list of `key=value`, as libpq reads them, without a password.
package struct DatabaseAddress: Sendable {
  /// The address as it was given.
  let text: String

  /// Makes an address. Throws `.usage` if libpq cannot read it, or if it holds a password: other users of the machine see
  /// the arguments of a process.
  package init(_ text: String) throws(DatabaseFailure) {
    self.text = text
    let library = unsafe try Libpq.functions()
    var message: UnsafeMutablePointer<CChar>?
    guard let options = unsafe library.PQconninfoParse(text, &message) else {
      // The message may repeat a part of the address, and with it a password.
      unsafe library.PQfreemem(message)
      throw DatabaseFailure(
        .usage,
        "The address of the database cannot be read",
        advice: "Give a URL, such as postgresql://HOST/DATABASE, or a list, such as \"host=HOST dbname=DATABASE\""
      )
    }
    defer { unsafe library.PQconninfoFree(options) }
    var option = unsafe options
    while let keyword = unsafe option.pointee.keyword {
      let isSecret = unsafe ["password", "sslpassword"].contains(String(cString: keyword))
      if isSecret, let value = unsafe option.pointee.val, unsafe value.pointee != 0 {
        throw DatabaseFailure(
          .usage,
          "The address of the database holds a password, which other users of this machine can see",
          advice: "Give it in PGPASSWORD, in ~/.pgpass, or in a service file (service=NAME)"
        )
      }
      unsafe option += 1
    }
  }
}
