import Testing

@testable import Warehouse

@Suite struct `A connection to a database` {
  @Test(
    arguments: [
      (nil, .seconds(10)), ("", .seconds(10)), ("3", .seconds(3)), ("0", nil), ("-1", nil),
      ("99999999999", .seconds(10)),
    ] as [(String?, Duration?)]
  )
  func `is waited for as connect_timeout says, without a limit for 0`(_ text: String?, _ patience: Duration?) {
    #expect(DatabaseConnection.patience(text) == patience)
  }
}
