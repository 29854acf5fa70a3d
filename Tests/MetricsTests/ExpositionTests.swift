import Metrics
import TestSupport
import Testing

@Suite struct `An exposition` {
  @Test func `escapes labels and help texts`() throws {
    var exposition = Exposition()
    exposition.begin("a", .gauge, "back\\slash\nline")
    exposition.add(1.5, ["x": "quote\" back\\ line\n{}, =", "y": ""])
    exposition.add(.infinity, ["x": "1"])
    #expect(
      exposition.text == #"""
        # HELP a back\\slash\nline
        # TYPE a gauge
        a{x="quote\" back\\ line\n{}, =",y=""} 1.5
        a{x="1"} +Inf

        """#
    )
    #expect(try PrometheusText(exposition.text).labels.first == ["x": "quote\" back\\ line\n{}, =", "y": ""])
  }

  @Test func `has the cumulative buckets of a histogram`() throws {
    var histogram = Histogram(bounds: [0.1, 1])
    for milliseconds in [50, 100, 700, 3000] { histogram.observe(.milliseconds(milliseconds)) }
    var exposition = Exposition()
    exposition.begin("a", .histogram, "Durations.")
    exposition.add(histogram)
    let samples = try PrometheusText(exposition.text).samples
    #expect(
      samples == [
        #"a_bucket{le="0.1"}"#: 2, #"a_bucket{le="1"}"#: 3, #"a_bucket{le="+Inf"}"#: 4, "a_sum": 3.85, "a_count": 4,
      ]
    )
  }
}
