/// The address of inputs that are no files of this machine.
struct RemoteAddress: Sendable {
  /// The kinds of addresses.
  enum Place: Sendable {
    /// A URL, as it was given.
    case web(String)
    /// A key of a bucket, or the beginning of keys.
    case object(bucket: String, key: String)
  }

  let place: Place
  /// The address in messages and tables. A URL is without its user, its query and its fragment, which can be secrets.
  let name: String

  /// The object with a key.
  init(bucket: String, key: String) {
    self.init(.object(bucket: bucket, key: key), name: "s3://\(bucket)/\(key)")
  }

  private init(_ place: Place, name: String) { (self.place, self.name) = (place, name) }

  /// The address that a path is; nil for the path of a file.
  init?(_ path: String) {
    let parts = path.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    switch parts[0].lowercased() {
    case "s3":
      let bucket = parts[1].prefix { $0 != "/" }
      self.init(bucket: String(bucket), key: String(parts[1].dropFirst(bucket.count + 1)))
    case "http", "https":
      let rest = parts[1].prefix { $0 != "?" && $0 != "#" }
      let host = rest.prefix { $0 != "/" }
      let visible = host.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
      self.init(.web(path), name: "\(parts[0])://\(visible)")
    default: return nil
    }
  }

  /// The text that stands for the place in the state: another one for another place.
  var identity: String { if case .web(let url) = place { url } else { name } }
}
