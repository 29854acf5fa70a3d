import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: FakeClock.library != nil, "needs libfaketime")) struct `A clock that jumps` {
  /// Runs a consumer whose files arrive one by one while the clock jumps.
  private static let script = """
    mkdir -p $F/spool/new
    export FAKETIME_TIMESTAMP_FILE=$F/clock FAKETIME_NO_CACHE=1 DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1
    echo +0 > $F/clock
    # The library changes the environment of the first process it is in, next to which Swift looks for the arguments.
    LD_PRELOAD=$LIBRARY${LD_PRELOAD:+:$LD_PRELOAD} env "$0" "$@" & watch=$!
    for jump in +0 -400d +0 +4000d -1s; do
      echo $jump > $F/clock
      name=at$jump
      cp $F/in.jsonl $F/spool/$name
      echo " " >> $F/spool/$name
      mv $F/spool/$name $F/spool/new/
      taken() { ls $F/spool/done/*/*/$name > /dev/null 2>&1; }
      for i in $(seq 600); do taken || ! kill -0 $watch 2>/dev/null && break; sleep 0.1; done
      taken || echo "$name was not taken"
    done
    "$0" status --state $F/out/_state > $F/status
    kill -TERM $watch
    wait $watch
    """

  @Test func `neither loses nor repeats postbacks, and delays nothing`() async throws {
    let site = try await FaultSite()
    let library = try #require(FakeClock.library)
    // Each part is closed by its age as well as by its size, and each file is another input.
    let options = site.arguments(["watch", site.spool, "--part-seconds", "1", "--rescan-ms", "50"])
    let script = Self.script.replacing("$LIBRARY", with: library)
    let result = try await site.shell(script, options)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text == "")
    let rows = try site.rows()
    // What has the same content is known again; the first has all rows.
    #expect(rows == ["at+0": Array(1...FaultSite.count)])
    let check = try await BuiltCommand.run(["state", "check", "--state", "\(site.out)/_state", "--out", site.out])
    #expect(check.text == "sound\n")
  }

  /// Runs a sender, sets its clock back, and commits more postbacks.
  private static let sender = """
    head -n 600 $F/in.jsonl > $F/first
    "$0" "$@" $F/first
    export FAKETIME_TIMESTAMP_FILE=$F/clock FAKETIME_NO_CACHE=1 DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1
    echo +0 > $F/clock
    LD_PRELOAD=$LIBRARY${LD_PRELOAD:+:$LD_PRELOAD} env "$0" deliver $F/out --partners $F/partners.json \
      --metrics-file $F/metrics -q > /dev/null & deliver=$!
    pending() { sed -n 's/^postback_deliveries_pending{.*} //p' $F/metrics 2> /dev/null; }
    above() { for i in $(seq 300); do [ "$(pending || echo 0)" -gt $1 ] 2> /dev/null && break; sleep 0.1; done; pending; }
    before=$(above 0)
    echo -2d > $F/clock
    "$0" "$@" $F/in.jsonl
    after=$(above $before)
    kill -TERM $deliver
    wait $deliver
    echo $before $after
    """

  @Test func `stops neither plans nor metrics of deliveries when it goes back`() async throws {
    let site = try await FaultSite()
    let partners = #"""
      {"partners": [{"id": "held", "networks": "all", "environments": ["custom"], "send": ["install", "redownload"],
        "hold_hours": 24, "max_age_s": 1000000000, "url": "https://partner.example/{postback_key}", "enabled": true}]}
      """#
    try site.folder.makeFile("partners.json", holding: Array(partners.utf8))
    let script = Self.sender.replacing("$LIBRARY", with: try #require(FakeClock.library))
    let result = try await site.shell(script, site.arguments(["run", "-q"]))
    let counts = result.text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    try #require(counts.count == 2, "\(result.text) \(result.errorText)")
    #expect(counts[0] > 0 && counts[1] > counts[0], "\(result.errorText)")
  }
}
