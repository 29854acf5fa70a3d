/// The address of an input that is no file of this machine.
struct RemoteAddress: Sendable {
  /// The URL as it was given.
  let url: String
  /// The URL without its user, its query and its fragment, which can be secrets. It is the only form in messages and tables.
  let name: String

  /// The address that a path is; nil for the path of a file.
  init?(_ path: String) {
    let parts = path.split(separator: "://", maxSplits: 1)
    guard parts.count == 2, ["http", "https"].contains(parts[0].lowercased()) else { return nil }
    url = path
    let rest = parts[1].prefix { $0 != "?" && $0 != "#" }
    let host = rest.prefix { $0 != "/" }
    let visible = host.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
    name = "\(parts[0])://\(visible)"
  }
}
