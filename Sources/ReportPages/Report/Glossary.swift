internal import PageMarkup

/// The words of the pages, with the terms that Apple and measurement partners use for them. docs/analysts.md has the same.
enum Glossary {
  /// The words in the order of the pages: the word as they have it, the terms of others, and the meaning.
  static let entries: [(word: String, others: String, meaning: String)] = [
    ("postback", "install-validation postback (Apple), SKAN callback", "Apple's signed message about an attribution."),
    (
      "device's own copy", "developer postback, copy of the winning postback (Apple)",
      "A postback that came to the address for devices (channel apple_direct). It has no forwarder."
    ),
    (
      "forwarder", "postback from network or from partner, MMP, SAN",
      "A network or measurement partner that sends its copy of a postback on (channel network_forwarded)."
    ),
    ("ad network", "ad-network-id (Apple), media source, partner", "The network that the signed postback names."),
    (
      "campaign", "source identifier (Apple from 4.0), campaign-id (before), SKAN campaign",
      "What the lookup tables have for the digits of the postback."
    ),
    (
      "crowd anonymity", "crowd size, privacy threshold (before 4.0)",
      "Apple's measure of how many users share what a postback tells. It decides on the data tier."
    ),
    (
      "data tier", "postback data tier (Apple), privacy tier",
      "What Apple lets a postback tell, from 0 to 3: source digits, value, source app, country."
    ),
    (
      "fine value", "conversion-value (Apple), CV",
      "A number from 0 to 63 that the app sets, in the first window only."
    ),
    ("coarse value", "coarse-conversion-value (Apple)", "low, medium or high, in place of a fine value."),
    ("null", "null conversion value, missing CV", "No value, because the crowd was too small. It is not 0."),
    (
      "window", "postback-sequence-index (Apple), postback 1, 2 and 3, P1 to P3",
      "The time after the install that a value is about: days 0 to 2, 3 to 7, and 8 to 35."
    ),
    ("redownload", "reinstall, reattribution", "An install of an app that the Apple account had before."),
    ("won", "did-win (Apple), winning postback, attributed", "The ad that the install is attributed to."),
    ("assist", "non-winning postback (Apple), assisted install", "An ad that did not win the attribution."),
    ("settled", "deduplicated, reconciled", "With all copies compared, by postback settle, so that one value counts."),
    (
      "rejected copy", "duplicate postback",
      "A further copy of an accepted postback. It is harmless unless a test says otherwise."
    ),
    ("noise", "invalid postback", "A record that is damaged, of an unknown kind, a test, or not for this receiver."),
    (
      "suspicion", "fraud alert",
      "What a comparison inside one postback or one campaign, or a rule of Apple's, says about a party. It proves nothing."
    ),
    ("difference", "benchmark deviation", "What separates parties between campaigns. It is no suspicion."),
    ("decoded revenue", "SKAN revenue, measured revenue", "What the conversion models make of the values."),
    ("modelled", "estimated, probabilistic revenue", "With an estimate for postbacks without a value."),
  ]

  /// The words as a list of a page.
  static var html: HTML {
    let lines = entries.map { entry -> HTML in
      "<dt>\(entry.word)</dt><dd>\(entry.meaning) <span class=\"note\">Also: \(entry.others).</span></dd>"
    }
    return
      "<details><summary>\(entries.count) words, with the terms of Apple and of measurement partners</summary><dl>\(lines)</dl></details>"
  }
}
