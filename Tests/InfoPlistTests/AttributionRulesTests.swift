import Testing

@testable import InfoPlist

/// The examples and limits of Apple's article "Configuring attribution rules for your app".
@Suite struct AttributionRulesTests {
  private func check(_ content: String) -> InfoPlistCheck {
    let copies = """
      <key>NSAdvertisingAttributionReportEndpoint</key><string>https://example.com</string>
      <key>AdAttributionKit</key><dict><key>AttributionCopyEndpoint</key><string>https://example.com</string>
      <key>OptInForReengagementPostbackCopies</key><true/></dict>
      """
    return InfoPlistCheck(file: "Info.plist", bytes: Array("<plist><dict>\(copies)\(content)</dict></plist>".utf8))
  }

  /// The findings in `AdAttributionKitConfigurations` with the content, each as its code and its place there.
  private func findings(_ content: String) -> [String] {
    check("<key>AdAttributionKitConfigurations</key>\(content)").findings.map {
      "\($0.code.rawValue) \($0.keyPath.dropFirst("AdAttributionKitConfigurations".count))"
    }
  }

  private func windows(_ network: String, _ install: String) -> [String] {
    findings(
      """
      <dict><key>AttributionWindows</key><dict><key>\(network)</key><dict><key>install</key><dict>\(install)</dict></dict></dict>
      </dict>
      """
    )
  }

  private func cooldown(_ content: String) -> [String] {
    findings("<dict><key>AttributionCooldown</key><dict>\(content)</dict></dict>")
  }

  @Test func `Apple's examples have no findings`() {
    #expect(windows("global", "<key>view</key><integer>3</integer>") == [])
    #expect(windows("test.adattributionkit", "<key>click</key><integer>23</integer>") == [])
    let ignoring = "<key>ignoreInteractionType</key><string>view</string><key>click</key><integer>5</integer>"
    #expect(windows("test.adattributionkit", ignoring) == [])
    #expect(cooldown("<key>install-cooldown-hours</key><integer>24</integer>") == [])
    #expect(cooldown("<key>re-engagement-cooldown-hours</key><integer>720</integer>") == [])
    #expect(check("<key>EligibleForAdAttributionKitOverlappingConversions</key><true/>").findings == [])
  }

  @Test(
    arguments: [
      ("view", "<integer>8</integer>", "value_range"), ("view", "<integer>0</integer>", "value_range"),
      ("click", "<integer>31</integer>", "value_range"), ("click", "<integer>-1</integer>", "value_range"),
      ("click", "<string>5</string>", "wrong_type"), ("view", "<real>1.5</real>", "wrong_type"),
      ("Click", "<integer>5</integer>", "key_spelling"), ("clicks", "<integer>5</integer>", "key_unknown"),
    ]
  )
  func `a window has whole days within Apple's limits`(_ key: String, _ value: String, _ code: String) {
    let place = ".AttributionWindows.global.install.\(key)"
    #expect(windows("global", "<key>\(key)</key>\(value)") == ["\(code) \(place)"])
  }

  @Test func `an ignored interaction is click or view, of one network, and has no window`() {
    let view = "<key>ignoreInteractionType</key><string>view</string>"
    let place = ".AttributionWindows.a.skadnetwork.install"
    #expect(windows("global", view) == ["no_effect .AttributionWindows.global.install.ignoreInteractionType"])
    #expect(windows("a.skadnetwork", view + "<key>view</key><integer>1</integer>") == ["no_effect \(place).view"])
    #expect(
      windows("a.skadnetwork", view.replacing("view<", with: "tap<")) == ["value_range \(place).ignoreInteractionType"]
    )
  }

  @Test func `a network is named by its id, in lower case`() {
    let click = "<key>click</key><integer>1</integer>"
    #expect(windows("A.skadnetwork", click) == ["id_upper_case .AttributionWindows.A.skadnetwork"])
    #expect(windows("com.example.network", click) == ["id_unusual .AttributionWindows.com.example.network"])
    #expect(windows("Global", click) == ["key_spelling .AttributionWindows.Global"])
  }

  @Test func `cooldowns have Apple's names and at most 720 hours`() {
    let place = ".AttributionCooldown"
    #expect(
      cooldown("<key>install-cooldown-hours</key><integer>721</integer>") == [
        "value_range \(place).install-cooldown-hours"
      ]
    )
    let slide = check(
      """
      <key>AdAttributionKitConfigurations</key><dict><key>AttributionCooldown</key><dict>
      <key>reengagement-cooldown-hours</key><integer>1</integer></dict></dict>
      """
    )
    #expect(slide.findings.map(\.code) == [.keyUnknown])
    #expect(slide.findings.first?.advice.contains("re-engagement-cooldown-hours") == true)
  }

  @Test func `keys that the system does not know are errors with the right ones`() throws {
    let unknown = InfoPlistCheck(
      file: "Info.plist",
      bytes: Array(
        """
        <plist><dict><key>AdAttributionKit</key><dict><key>PostbackCopyURL</key><string>https://example.com</string></dict>
        <key>EligibleForAdAttributionKitOverlapingConversions</key><true/>
        <key>AdAttributionKitConfigurations</key><dict><key>AttributionWindow</key><dict/></dict></dict></plist>
        """.utf8
      )
    )
    let found = unknown.findings.filter { $0.code == .keyUnknown }
    #expect(found.count == 3 && unknown.errorCount == 3)
    for name in [
      "AttributionCopyEndpoint", "EligibleForAdAttributionKitOverlappingConversions", "AttributionWindows",
    ] {
      #expect(found.contains { $0.advice.hasSuffix("Write \(name).") }, "\(name)")
    }
  }
}
