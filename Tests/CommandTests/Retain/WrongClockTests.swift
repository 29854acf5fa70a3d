import Foundation
import JSON
import TestSupport
import Testing

@Suite(.enabled(if: FakeClock.library != nil, "needs libfaketime")) struct `A wrong clock` {
  /// Consumes the same postbacks again and again, each time in another order, under right and wrong clocks.
  private static let script = """
    mkdir -p $F/spool/new
    at() {
      # The library changes the environment of the first process it is in, next to which Swift looks for the arguments.
      env LD_PRELOAD=$LIBRARY${LD_PRELOAD:+:$LD_PRELOAD} FAKETIME=$1 DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1 env "${@:2}"
    }
    ids() { "$binary" status --state $F/out/_state --json | grep -o '"seen_ids":[0-9]*'; }
    count=0
    for clock in +0 +800d +801d +0 -800d -799d +0; do
      count=$((count + 1))
      shuf $F/in.jsonl > $F/spool/new/$count
      at $clock "$binary" "$@" || echo "status $?"
      ids
    done
    at +800d "$binary" retain --out $F/out --older-than 400d --spool $F/spool --yes-remove-all; echo $?
    at +800d "$binary" state compact $F/out --before 2027-11-01 --yes-remove-all; echo $?
    ids
    find $F/spool/done -type f | wc -l
    "$binary" retain --out $F/out --older-than 400d --spool $F/spool --json; echo $?
    "$binary" state check $F/out
    """

  @Test func `removes nothing, however far ahead or back it is`() async throws {
    let site = try await FaultSite()
    let options = ["watch", site.spool, "--once", "--retain", "400d", "--forget-after", "400d", "--quiet"]
    let script = Self.script.replacing("$LIBRARY", with: FakeClock.library ?? "")
    let result = try await site.shell("binary=$0; \(script)", site.arguments(options))
    let lines = result.text.split(separator: "\n").map(String.init)
    try #require(lines.count == 14, "\(result.text)\(result.errorText)")
    #expect(Set(lines[0..<7]).count == 1 && lines[0].hasPrefix("\"seen_ids\":") && lines[0] != "\"seen_ids\":0")
    #expect(lines[7..<9] == ["1", "1"], "\(result.text)")
    #expect(lines[9] == lines[0])
    #expect(lines[10] == "7")
    #expect(try JSONValue(parsing: Array(lines[11].utf8))["parts"] == .integer(0))
    #expect(lines[12...] == ["0", "sound"])
    #expect(result.errorText.contains("warning retention_refused: Nothing was removed: the clock says 20"))
    #expect(try site.rows().values.reduce(0) { $0 + $1.count } >= FaultSite.count)
  }
}
