internal import SKAdNetwork

// The columns that the tables of accepted postbacks and of rejects share.
extension Column {
  static let channel = Column(
    .channel,
    .word(of: Channel.self),
    """
    The channel through which the postback came, `apple_direct` or `network_forwarded`, from the envelope, else from the \
    path or the options of the input. Null if none of them gives it.
    """
  )
  static let forwarder = Column(
    .forwarder,
    .nonEmptyText,
    """
    The name of the forwarder, from the envelope, else from the path or the options of the input. Null if none of them \
    gives it.
    """
  )
  static let remoteAddress = Column(
    .remoteAddress,
    .nonEmptyText,
    """
    The network address of the sender, from the envelope. Null unless the option `--keep-addresses` was given, and if \
    the envelope does not give it.
    """
  )
  static let receivedAt = Column(.receivedAt, .time, "The time of receipt. Null if no source gives it.")
  static let receivedAtSource = Column(
    .receivedAtSource,
    .word(of: ReceivedAtSource.self),
    """
    The source of that time: `envelope`, `option` (`--received-at` or `--context`), `field` (the key that `--received-at-field` \
    names) or `file_mtime` (the modification time of the input file). Null if `received_at` is null.
    """
  )
  static let sourceFile = Column(
    .sourceFile,
    .nonEmptyText,
    .required,
    "The input as it was named, `-` for standard input."
  )
  static let sourceLine = Column(
    .sourceLine,
    .integer(1...Int64.max),
    .required,
    "The line of the decompressed input on which the record begins, from 1."
  )
}
