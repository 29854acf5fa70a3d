import Foundation
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
}
