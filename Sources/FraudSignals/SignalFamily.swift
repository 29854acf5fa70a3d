internal import Glibc
internal import Statistics

/// The correction of tests for their number, by Holm's method with weights.
///
/// The weight of a test is the square root of its number of records, so that parties with few records, of which little can be
/// found, cost the others little power.
/// Suspicions and differences are two families, so that many differences cost suspicions no power. The chance of any suspicion
/// without a cause is at most 5 %, and so is that of any difference.
enum SignalFamily {
  /// Corrects the p-values of the tests, and tells for each the least logarithm of an e-value that raises an alarm.
  static func correct(_ tests: inout [SignalTest]) -> [Double] {
    var bounds = [Double](repeating: .infinity, count: tests.count)
    for kind in [SignalKind.suspicion, .difference] {
      let places = tests.indices.filter { tests[$0].kind == kind }
        .sorted { (tests[$0].pValue / tests[$0].weight, $0) < (tests[$1].pValue / tests[$1].weight, $1) }
      var (largest, rest) = (0.0, places.reduce(0) { $0 + tests[$1].weight })
      for place in places {
        let number = rest / tests[place].weight
        largest = max(largest, min(tests[place].pValue * number, 1))
        tests[place].correctedPValue = max(largest, tests[place].method.leastCorrectedPValue)
        bounds[place] = log(number / SignalTest.level)
        rest -= tests[place].weight
      }
    }
    return bounds
  }
}

extension SignalTest {
  fileprivate var weight: Double { Double(max(own.total, 1)).squareRoot() }
}
