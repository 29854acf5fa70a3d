internal import Base
internal import DurableFiles

/// The settings of a profile in the files of the AWS tools, `~/.aws/credentials` and `~/.aws/config`.
struct AWSProfile {
  /// The name of the profile.
  let name: String
  private var settings: [String: String] = [:]

  /// Reads the profile that the environment names, or `default`. Throws if a named one is in neither file.
  init(_ environment: (String) -> String?) throws(FileFailure) {
    let named = environment("AWS_PROFILE")
    name = named ?? "default"
    let folder = (environment("HOME") ?? "") + "/.aws"
    let credentials = environment("AWS_SHARED_CREDENTIALS_FILE") ?? "\(folder)/credentials"
    let configuration = environment("AWS_CONFIG_FILE") ?? "\(folder)/config"
    let sections = [
      try Self.section(["profile \(name)", name], in: configuration), try Self.section([name], in: credentials),
    ]
    for case let section? in sections { settings.merge(section) { $1 } }
    guard named == nil || sections.contains(where: { $0 != nil }) else {
      throw FileFailure(.incompatible, credentials, "There is no profile \(name)", advice: "Check AWS_PROFILE")
    }
  }

  /// The value of a setting; nil if it is absent or empty.
  subscript(setting: String) -> String? { settings[setting].flatMap { $0.isEmpty ? nil : $0 } }

  /// The settings of the last section of a file that has one of these names; nil if the file or the section is not there.
  private static func section(_ names: [String], in path: String) throws(FileFailure) -> [String: String]? {
    let bytes: [UInt8]
    do { bytes = try WholeFile.read(path, upTo: 1 << 20) } catch {
      if error.kind == .notFound { return nil }
      throw error
    }
    var found: [String: String]?
    var isInside = false
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      // An indented line belongs to a setting with settings of its own.
      guard let first = line.first, !first.isWhitespace, first != "#", first != ";" else { continue }
      if first == "[" {
        isInside = names.contains(line.dropFirst().prefix { $0 != "]" }.split(separator: " ").joined(separator: " "))
        if isInside, found == nil { found = [:] }
      } else if isInside, let equals = line.firstIndex(of: "=") {
        let value = String(line[line.index(after: equals)...].trimmed)
        found?[line[..<equals].trimmed.lowercased()] = value
      }
    }
    return found
  }
}
