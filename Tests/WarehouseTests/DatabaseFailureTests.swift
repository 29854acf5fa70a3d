import Testing

@testable import Warehouse

@Suite struct `A failure of a database` {
  @Test(
    arguments: [
      ("42501", .noPermission), ("53100", .server), ("53200", .server), ("53300", .busy), ("55P03", .busy),
      ("40P01", .busy), ("57P01", .unreachable), ("57P03", .unreachable), ("08006", .unreachable),
      ("25006", .configuration), ("0A000", .configuration), ("22021", .configuration),
      ("23502", .configuration), ("42703", .configuration), ("42P01", .configuration),
      ("XX001", .server), ("", .server),
    ] as [(String, DatabaseFailure.Kind)]
  )
  func `has the category of its code`(_ code: String, _ kind: DatabaseFailure.Kind) {
    let failure = DatabaseFailure.server(code, "no", doing: "the rows of skan_events")
    #expect(failure.kind == kind)
    #expect(failure.description.hasPrefix("The database refused the rows of skan_events: no. "))
    #expect(failure.isTransient == (kind == .busy || kind == .unreachable))
  }

  @Test(
    arguments: [
      ("28P01", false, .noPermission), ("28000", false, .noPermission), ("3D000", false, .configuration),
      ("57P03", false, .unreachable), ("53300", false, .busy), (nil, true, .noPermission), (nil, false, .unreachable),
    ] as [(String?, Bool, DatabaseFailure.Kind)]
  )
  func `to connect has the category of its code`(_ code: String?, _ needsPassword: Bool, _ kind: DatabaseFailure.Kind) {
    #expect(DatabaseFailure.connecting(code, "no", needsPassword: needsPassword).kind == kind)
  }
}
