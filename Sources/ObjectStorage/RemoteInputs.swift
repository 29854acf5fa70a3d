package import DurableFiles
internal import Glibc
internal import HTTPClient
package import PostbackPipeline

/// Inputs at `https://` and `http://` addresses.
package final class RemoteInputs {
  private let environment: (String) -> String?
  private var opened: ObjectClient?
  private var objects: [RemoteObject] = []

  /// No inputs yet. `environment` returns the value of a variable of the environment.
  package init(
    environment: @escaping (String) -> String? = { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
  ) {
    self.environment = environment
  }

  /// The name of the input at a path, without what may be secret in an address.
  package static func name(of path: String) -> String { RemoteAddress(path)?.name ?? path }

  /// Finds the inputs that an address names; nil for a path in the file system. Throws if they cannot be read now.
  package func find(_ path: String, _ selection: InputSelection) throws(FileFailure) -> FoundInputs? {
    guard let address = RemoteAddress(path) else { return nil }
    guard let object = try RemoteObject(asking: client(for: address), for: address) else {
      throw FileFailure(.notFound, address.name, "The server answers 404", advice: "Check the address")
    }
    return FoundInputs([add(object)])
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
