internal import ConversionModel
internal import SKAdNetwork

/// How a postback is written down: as an Apple device sends it, or as those do who pass it on. Changes nothing it says.
struct ForwardingStyle: Sendable {
  /// Whether somebody wrote it anew.
  var isForwarded = false
  /// Whether `/` is written `\/`.
  var escapesSlashes = false
  /// Whether numbers and Booleans are written as strings.
  var isQuoted = false
  /// Whether the keys are sorted by name.
  var isSorted = false
  /// Whether absent conversion values are written as nulls.
  var showsNulls = false
  /// Whether a `timestamp` is added: RFC 3339, or Unix time in milliseconds.
  var timestamp: TimestampForm?

  enum TimestampForm: Sendable {
    case text, milliseconds
  }

  /// Draws a style: half come from devices.
  init(_ random: inout SeededGenerator) {
    isForwarded = random.chance(ofHundred: 50)
    escapesSlashes = random.chance(ofHundred: isForwarded ? 10 : 70)
    guard isForwarded else { return }
    isQuoted = random.chance(ofHundred: 4)
    isSorted = random.chance(ofHundred: 30)
    showsNulls = random.chance(ofHundred: 20)
    if random.chance(ofHundred: 25) { timestamp = random.pick([.text, .milliseconds]) }
  }
}
