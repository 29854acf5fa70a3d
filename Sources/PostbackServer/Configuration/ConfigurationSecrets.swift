internal import DurableFiles
internal import JSON

// The secrets in the files that a configuration names.
extension ConfigurationReader {
  /// Reads the secrets from the file that a setting names, or from two files. Notes a problem and returns nil if one of
  /// them cannot be used.
  mutating func secrets(in node: JSONNode, areTokens: Bool) -> [[UInt8]]? {
    guard let elements = node.elements else { return secret(in: node, isToken: areTokens).map { [$0] } }
    guard (1...2).contains(elements.count) else {
      problems.note(node, "The array must name one file or two: the secret in use, and the one before or after it.")
      return nil
    }
    let secrets = elements.compactMap { secret(in: $0, isToken: areTokens) }
    guard secrets.count == elements.count else { return nil }
    if secrets.count == 2, secrets[0] == secrets[1] {
      problems.note(node, "Both files hold the same secret.")
      return nil
    }
    return secrets
  }

  /// Reads the secret from the file that a setting names, and removes the line ends after it. Notes a problem and
  /// returns nil if the file cannot be read, holds fewer than 16 bytes, or is text of several lines or a token that no
  /// request can have in a header.
  mutating func secret(in node: JSONNode, isToken: Bool) -> [UInt8]? {
    guard let path = problems.path(node, of: "a file") else { return nil }
    do throws(FileFailure) {
      var bytes = try WholeFile.read(path, upTo: 4096)
      while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
      let isText = bytes.allSatisfy { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
      if isText || isToken, bytes.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
        problems.note(node, "The file \(path) has a line break inside the secret. Put one secret into it, on one line.")
        return nil
      }
      let space = UInt8(ascii: " ")
      if isToken, bytes.contains(where: { $0 < space || $0 == 0x7F }) || bytes.first == space || bytes.last == space {
        problems.note(
          node,
          "The token in \(path) has a control character, or a space at an end, and no request can send it."
        )
        return nil
      }
      if bytes.count >= 16 { return bytes }
      problems.note(node, "The file \(path) holds \(bytes.count) bytes. A secret must have 16 bytes or more.")
    } catch {
      problems.note(node, "\(error)")
    }
    return nil
  }
}
