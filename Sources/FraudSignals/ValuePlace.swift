extension ValueChanges {
  /// The app, the versions, the window and the model, which give a value its meaning.
  struct Place: DrawnKey {
    let app: String
    let family, window: UInt8
    /// The model and its version; nil for any, if the row was not decoded.
    var model: String?
    var version: Int64 = 0

    var anyModel: Place { Place(app: app, family: family, window: window) }
    /// Texts that tell the place from all others.
    var order: [String] { [app, model ?? ""] + [Int(family), Int(window), Int(version)].map { String($0) } }
    /// All windows and versions of the app.
    var ofApp: Place { Place(app: app, family: .max, window: .max) }
  }
}

extension ValueChanges.Place {
  func add(to hash: inout StableHash) {
    for text in [app, model] { hash.add(text) }
    for number in [Int(family), Int(window), Int(version)] { hash.add(number) }
  }

  func encode(_ writer: inout CompactWriter) { writer.append(app, model, family, window, version) }
  init(_ reader: inout CompactReader) { (app, model, family, window, version) = reader.values() }
}
