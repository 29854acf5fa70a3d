/// The app, the window and the family of versions of postbacks. A forwarder may send those of one later than others, or not at all.
struct ForwardingLine: Hashable, Compact {
  let app: String
  let window, family: UInt8

  init(_ cluster: SignalCluster) { (app, window, family) = (cluster.app, cluster.window, cluster.family) }

  func encode(_ writer: inout CompactWriter) { writer.append(app, window, family) }
  init(_ reader: inout CompactReader) { (app, window, family) = reader.values() }
}
