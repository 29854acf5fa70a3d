internal import DurableFiles
internal import InputForms

/// The option that chooses the mapping of inputs.
enum MappingChoice {
  static let option = Option(
    "--mapping",
    "NAME|FILE",
    "Read records of another form: a name that postback inputs lists, or a file of schemas/mapping.schema.json."
  )

  /// Returns the mapping that the option names; nil if it is absent.
  static func mapping(_ arguments: Arguments) throws(CommandFailure) -> Mapping? {
    guard let name = arguments.value(option.name) else { return nil }
    if let mapping = Mapping.builtIn.first(where: { $0.name == name }) { return mapping }
    guard name.contains("/") || name.hasSuffix(".json") else {
      throw CommandFailure(
        .usage,
        "There is no mapping \(name). postback inputs lists them. The name of a file ends with .json or has a slash."
      )
    }
    let bytes: [UInt8]
    do throws(FileFailure) { bytes = try WholeFile.read(name, upTo: Mapping.byteLimit) } catch {
      throw CommandFailure(error)
    }
    do throws(MappingDefect) { return try Mapping(parsing: bytes) } catch {
      throw CommandFailure(.configuration, "The mapping \(name) cannot be used. \(error)")
    }
  }
}
