internal import Base

/// The members of postbacks, queries and exports that say something about a person or a device: network addresses, user agents,
/// ids, and ways to reach the person.
package enum PersonalMember {
  /// The names as `contains` compares them; the index is the length of a name.
  ///
  /// Names that also mean an ad, an advertiser or the model of a device, such as `adid` and `device`, are none of them.
  private static let names = {
    let names: [String] = [
      // Addresses on the network
      "ip", "ips", "ipaddress", "ipaddr", "ipv4", "ipv6", "geoip", "clientip", "deviceip", "userip", "sourceip",
      "senderip", "remoteip", "realip", "xrealip", "trueclientip", "cfconnectingip", "remoteaddr", "remoteaddress",
      "xforwardedfor", "httpxforwardedfor", "xforwarded", "forwarded", "forwardedfor", "clientipaddress",
      "deviceipaddress", "useripaddress", "xclientip", "userdataip", "mac", "macaddress",
      // Browsers
      "useragent", "httpuseragent", "deviceuseragent", "clientuseragent", "ua", "headers", "httpheaders",
      "requestheaders", "userdatauseragent",
      // Devices
      "idfa", "idfv", "ifa", "ifv", "gaid", "aaid", "aifa", "oaid", "udid", "openudid", "imei", "meid",
      "androidid", "deviceid", "deviceidentifier", "advertisingid", "advertisingidentifier", "googleadvertisingid",
      "googleadid", "gpsadid", "appsflyerid", "appsflyerdeviceid", "singulardeviceid", "identifierforvendor", "sdid",
      "idfamd5", "idfasha1", "idfvmd5", "idfvsha1", "androididmd5", "androididsha1", "gpsadidmd5", "gpsadidsha1",
      "macmd5", "macsha1", "userdataidfa", "userdataidfv",
      // Persons
      "email", "emailaddress", "useremail", "hashedemail", "emailhash", "emailsha256", "phone", "phonenumber",
      "hashedphone", "telephone", "mobilenumber", "msisdn", "userid", "customuserid", "customeruserid", "username",
    ]
    var byLength = [[[UInt8]]](repeating: [], count: (names.map(\.utf8.count).max() ?? 0) + 1)
    for name in names { byLength[name.utf8.count].append(Array(name.utf8)) }
    return byLength
  }()

  /// Tells if a name is one of them. The case of ASCII letters does not matter, and neither do spaces, dots, hyphens and
  /// underscores.
  package static func contains(_ name: some Collection<UInt8>) -> Bool {
    let folded = name.lazy.filter { !$0.isSeparator }.map(\.asciiLowercased)
    let count = folded.count
    return count < names.count && names[count].contains { $0.elementsEqual(folded) }
  }

  /// Returns a query without the parameters that have such names.
  package static func removed(fromQuery query: ArraySlice<UInt8>) -> [UInt8] {
    let pairs = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).filter { pair in
      !contains(QueryParameter.decoded(pair.prefix { $0 != UInt8(ascii: "=") }).utf8)
    }
    return Array(pairs.joined(separator: [UInt8(ascii: "&")]))
  }

  /// Returns text that is no envelope, such as a part of one, without the value of its `remote_address` and without such
  /// parameters in its `query`; nil if it has neither.
  package static func removed(fromBroken text: ArraySlice<UInt8>) -> [UInt8]? {
    let text = Array(text)
    var bytes: [UInt8] = []
    var (kept, index) = (0, 0)
    while let quote = text[index...].firstIndex(of: UInt8(ascii: "\"")) {
      let keyEnd = text.endOfString(from: quote + 1)
      index = keyEnd
      let key = text[quote + 1..<keyEnd]
      let isAddress = key.elementsEqual(Field.remoteAddress.name.utf8)
      guard keyEnd < text.count, isAddress || key.elementsEqual(Field.query.name.utf8) else {
        // A key after text that is no string would be missed by taking the next quote for the end of one.
        index = quote + 1
        continue
      }
      var start = keyEnd + 1
      func skipSpace() { while start < text.count, text[start].isSpace { start += 1 } }
      skipSpace()
      guard start < text.count, text[start] == UInt8(ascii: ":") else { continue }
      start += 1
      skipSpace()
      guard start < text.count, text[start] == UInt8(ascii: "\"") else { continue }
      start += 1
      let end = text.endOfString(from: start)
      bytes += text[kept..<start] + (isAddress ? [] : removed(fromQuery: text[start..<end]))
      (kept, index) = (end, end)
    }
    guard kept > 0 else { return nil }
    return bytes + text[kept...]
  }
}

extension [UInt8] {
  /// Returns the index of the quote that ends a JSON string whose content begins at `start`; that of the end if none does.
  fileprivate func endOfString(from start: Int) -> Int {
    var index = start
    while index < count, self[index] != UInt8(ascii: "\"") { index += self[index] == UInt8(ascii: "\\") ? 2 : 1 }
    return Swift.min(index, count)
  }
}

extension UInt8 {
  /// Indicates that names are compared without the byte.
  fileprivate var isSeparator: Bool { self == 0x20 || self == 0x2D || self == 0x2E || self == 0x5F }

  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
