internal import DurableFiles
internal import InputForms

/// The options that say in which form inputs are.
struct FormOptions: OptionGroup {
  private let detection = Option(
    "--format-in FORM",
    "auto (default) reads an input as CSV if its first line is a header with names of postback fields; csv\nif it does not begin as JSON does; json never."
  ).value(ValueKind<InputForm.Detection>.word)
  private let mapping = Option.mapping

  /// The form of the inputs.
  var value: InputForm { mapping.map { InputForm($0) } ?? InputForm(detection ?? .auto) }

  /// Throws if the options contradict each other.
  func check() throws {
    guard detection == nil || mapping == nil else {
      throw CommandFailure(.usage, "A mapping says what the form of inputs is. Give --mapping or --format-in.")
    }
  }
}

extension Option {
  /// The mapping that `--mapping` names; nil if it is absent.
  static var mapping: Mapping? {
    Option(
      "--mapping NAME|FILE",
      "Read records of another form: a name that postback inputs lists, or a file of schemas/mapping.schema.json."
    ).value(ValueKind<Mapping>.mapping)
  }
}

extension ValueKind<Mapping> {
  /// A built-in mapping, or that of a file.
  static var mapping: Self { Self(throwing: { name in try read(name) }) }

  private static func read(_ name: String) throws -> Mapping {
    if let mapping = Mapping.builtIn.first(where: { $0.name == name }) { return mapping }
    guard name.contains("/") || name.hasSuffix(".json") else {
      throw CommandFailure(
        .usage,
        "There is no mapping \(name). postback inputs lists them. The name of a file ends with .json or has a slash."
      )
    }
    let bytes = try WholeFile.read(name, upTo: Mapping.byteLimit)
    do throws(MappingDefect) { return try Mapping(parsing: bytes) } catch {
      throw CommandFailure(.configuration, "The mapping \(name) cannot be used. \(error)")
    }
  }
}
