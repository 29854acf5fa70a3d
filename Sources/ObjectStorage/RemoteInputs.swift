internal import Base
package import DurableFiles
internal import Glibc
internal import HTTPClient
package import PostbackPipeline

/// Inputs at `s3://`, `https://` and `http://` addresses.
package final class RemoteInputs {
  private let environment: (String) -> String?
  private var opened: ObjectClient?
  private var objects: [RemoteObject] = []

  /// No inputs yet. `environment` returns the value of a variable of the environment.
  package init(
    environment: @escaping (String) -> String? = { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
  ) {
    // The AWS tools take an empty variable for none.
    self.environment = { name in environment(name).flatMap { $0.isEmpty ? nil : $0 } }
  }

  /// The name of the input at a path, without what may be secret in an address.
  package static func name(of path: String) -> String { RemoteAddress(path)?.name ?? path }

  /// Finds the inputs that an address names; nil for a path in the file system. Throws if they cannot be read now.
  package func find(_ path: String, _ selection: InputSelection) throws(FileFailure) -> FoundInputs? {
    guard let address = RemoteAddress(path) else { return nil }
    let client = try client(for: address)
    switch address.place {
    case .object(let bucket, let key): return try find(bucket, key, selection, client)
    case .web:
      guard let object = try RemoteObject(asking: client, for: address) else {
        throw FileFailure(.notFound, address.name, "The server answers 404", advice: "Check the address")
      }
      return FoundInputs([add(object)])
    }
  }

  /// Finds the object with a key, or the objects below it, or, with `*` at the end, those whose keys begin with it.
  private func find(
    _ bucket: String,
    _ key: String,
    _ selection: InputSelection,
    _ client: ObjectClient
  ) throws(FileFailure) -> FoundInputs {
    let address = RemoteAddress(bucket: bucket, key: key)
    guard !bucket.isEmpty, bucket.utf8.allSatisfy(\.isInNames) else {
      throw FileFailure(.notFound, address.name, "This is not the name of a bucket", advice: "Write s3://BUCKET/KEY")
    }
    var (prefix, refusal) = (key, FileFailure?.none)
    if key.hasSuffix("*") {
      prefix.removeLast()
    } else if !key.isEmpty, !key.hasSuffix("/") {
      // Who may list a bucket need not be allowed to ask for keys that are not there.
      do throws(FileFailure) {
        if let object = try RemoteObject(asking: client, for: address) { return FoundInputs([add(object)]) }
      } catch {
        guard error.kind == .notFound else { throw error }
        refusal = error
      }
      prefix += "/"
    }
    let root = prefix.utf8.lastIndex(of: UInt8(ascii: "/")).map {
      prefix.utf8.distance(from: prefix.startIndex, to: $0) + 1
    }
    var (files, leftOut, isEmpty) = ([InputFile](), LeftOutEntries(), true)
    try client.list(bucket, prefix: prefix) { object in
      guard case .object(_, let key) = object.address.place else { return }
      isEmpty = false
      // Some tools write an object for a folder.
      guard !key.hasSuffix("/") else { return leftOut.others += 1 }
      switch selection.decision(on: String(decoding: key.utf8.dropFirst(root ?? 0), as: UTF8.self)) {
      case .taken: files.append(add(object))
      case .hidden: leftOut.hidden += 1
      case .unmatched: leftOut.unmatched += 1
      }
    }
    guard !files.isEmpty else {
      if isEmpty, let refusal { throw refusal }
      throw FileFailure(.notFound, address.name, "There is no object here" + (isEmpty ? "" : " that is read"))
    }
    return FoundInputs(files, leftOut: leftOut)
  }

  /// Returns a source of files, and of the inputs that were found here.
  package func source(_ files: [InputFile]) -> some InputSource { RemoteInputList(self, files) }

  fileprivate func open(_ input: InputFile) throws(FileFailure) -> OpenInput {
    guard let number = input.object else { return try OpenInput(input) }
    let object = objects[number]
    let file = RemoteFile(object, try client(for: object.address))
    return OpenInput(input, file, try object.identity())
  }

  private func add(_ object: RemoteObject) -> InputFile {
    var input = object.input
    input.object = objects.count
    objects.append(object)
    return input
  }

  private func client(for address: RemoteAddress) throws(FileFailure) -> ObjectClient {
    if let opened { return opened }
    do throws(StreamFailure) {
      let client = try ObjectClient(environment: environment)
      opened = client
      return client
    } catch {
      throw FileFailure(.io, address.name, error.reason)
    }
  }
}

/// A source of a list of inputs, of which some are remote.
private struct RemoteInputList: InputSource {
  private let remote: RemoteInputs
  private var inputs: ArraySlice<InputFile>

  init(_ remote: RemoteInputs, _ inputs: [InputFile]) { (self.remote, self.inputs) = (remote, inputs[...]) }

  mutating func next() throws(PipelineFailure) -> NextInput {
    guard let input = inputs.popFirst() else { return .end }
    do { return .input(try remote.open(input)) } catch {
      inputs = []
      throw .read(error)
    }
  }
}
