internal import ConversionModel
internal import SKAdNetwork

/// The written form of a postback: that of an Apple device, or that of a forwarder. It changes no value.
struct ForwardingStyle: Sendable {
  /// Indicates that a forwarder rewrote the postback.
  var isForwarded = false
  /// Indicates that `/` is written `\/`.
  var escapesSlashes = false
  /// Indicates that numbers and Booleans are written as strings.
  var isQuoted = false
  /// Indicates that the keys are sorted by name.
  var isSorted = false
  /// Indicates that absent conversion values are written as nulls.
  var showsNulls = false
  /// The form of an added `timestamp`, RFC 3339 or Unix time in milliseconds; nil if none is added.
  var timestamp: TimestampForm?

  enum TimestampForm: Sendable {
    case text, milliseconds
  }

  /// Draws a style. Half of the postbacks come directly from devices.
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
