internal import DurableFiles
internal import Glibc
package import PostbackPipeline

/// A regular file of a spool, open for reading.
package struct SpoolFile: ~Copyable, Sendable {
  /// The path, modification time and size of the file, for the reader.
  package let input: InputFile
  /// The identity of the file, from fstat(2) on the open descriptor.
  package let identity: SpoolIdentity
  private let file: OpenFile

  /// Takes ownership of the descriptor.
  init(descriptor: Int32, path: String, _ identity: SpoolIdentity) {
    self.identity = identity
    input = InputFile(path: path, modified: identity.modified, byteCount: identity.byteCount)
    file = OpenFile(descriptor: descriptor, path: path)
  }

  /// Returns the open file. The caller then owns it.
  consuming func opened() -> OpenFile { file }
}

/// The name of a file that waits in a spool. `SpoolFolder.open` checks the file itself.
package struct SpoolEntry: Sendable {
  /// The path of the folder in which the file waits.
  package let folder: String
  let fileName: SpoolName

  /// The file's name as text. A name that is not UTF-8 is escaped; the file gets the escaped name in `failed/`.
  package var name: String { fileName.text }

  /// The path of the file, made of `folder` and `name`.
  package var path: String { "\(folder)/\(name)" }

  /// The path for a person: on one line, with control characters escaped.
  package var shown: String { SpoolName.printable(path.utf8) }

  /// The path for system calls: the true bytes of the name, with a zero at the end.
  var systemPath: [CChar] { fileName.path(in: folder) }
}

/// The name of a file, which may be any bytes.
struct SpoolName {
  /// The name as text. A name that is not UTF-8 is escaped; the file gets the escaped name in `failed/`.
  let text: String
  /// The bytes of a name that is not UTF-8, with a zero at the end; nil for a name in UTF-8.
  let raw: [CChar]?

  /// Returns the path of the file in a folder for system calls, with a zero at the end.
  func path(in folder: String) -> [CChar] {
    guard let raw else { return Array("\(folder)/\(text)".utf8CString) }
    return "\(folder)/".utf8CString.dropLast() + raw
  }

  /// The length of the longest file name that a file system takes, in bytes.
  static let maximum = 255

  /// Returns a name with a suffix. If both together are too long, the end of the name is cut off between two
  /// characters.
  static func fitting(_ name: String, _ suffix: String) -> String {
    guard name.utf8.count + suffix.utf8.count > maximum else { return name + suffix }
    var stem = Substring(name)
    while stem.utf8.count + suffix.utf8.count > maximum, !stem.isEmpty { stem.removeLast() }
    return stem + suffix
  }

  /// Returns bytes as text on one line. Invalid UTF-8 and control or format characters become `%` and two hexadecimal
  /// digits for each byte.
  static func printable(_ bytes: some Sequence<UInt8>) -> String {
    var decoder = UTF8()
    var pending = Array(bytes)[...]
    var text = ""
    while let first = pending.first {
      var rest = pending.makeIterator()
      if case .scalarValue(let scalar) = decoder.decode(&rest), !isControl(scalar) {
        text.unicodeScalars.append(scalar)
        pending = pending.dropFirst(UTF8.width(scalar))
      } else {
        text += "%" + (first < 16 ? "0" : "") + String(first, radix: 16, uppercase: true)
        pending = pending.dropFirst()
      }
      decoder = UTF8()
    }
    return text
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .format: true
    default: false
    }
  }
}

/// The identity and state of a file. Another file of the same name, or the same file after it grew, has another
/// identity.
package struct SpoolIdentity: Hashable, Sendable {
  /// The device number of the file system (`st_dev`).
  package let device: UInt64
  /// The inode number of the file in its file system (`st_ino`).
  package let inode: UInt64
  /// The size in bytes.
  package let byteCount: Int64
  /// The modification time, in milliseconds since 1970.
  package let modified: Int64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    byteCount = Int64(status.st_size)
    modified = FileStatus.modified(status)
  }
}
