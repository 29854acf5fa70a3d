import JSON
import Testing

@testable import PostbackView

@Suite struct `An answer without revenue` {
  @Test func `has no amounts, at any depth, and nothing that forwarders added under names of their own`() throws {
    let text =
      #"{"row":{"conversion_value":3,"skan_revenue":1,"extras":{"spend":"777.77"}},"copies":[{"extras":"{\"ltv\":4}","app_id":1}],"deliveries":[1]}"#
    let value = try JSONValue(parsing: Array(text.utf8)).withoutRevenue
    #expect(value.description == #"{"row":{"conversion_value":3},"copies":[{"app_id":1}]}"#)
  }
}
