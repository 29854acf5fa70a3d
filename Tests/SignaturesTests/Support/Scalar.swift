import Signatures

/// A number modulo the order of a curve, with enough arithmetic to make unusual signatures.
struct Scalar: Equatable {
  let curve: Curve
  private var high: UInt128
  private var low: UInt128

  /// A number from big-endian bytes, below twice the order.
  init(_ curve: Curve, _ bytes: some Collection<UInt8>) {
    self.init(curve, unreduced: bytes)
    reduce()
  }

  /// The number of the digest of a text, for arbitrary scalars.
  init(_ curve: Curve, digestOf text: String) throws {
    self.init(curve, try SignaturesTests.digest(of: text).array.prefix(curve.fieldByteCount))
  }

  init(_ curve: Curve, _ small: UInt8) { self.init(curve, [small]) }

  private init(_ curve: Curve, unreduced bytes: some Collection<UInt8>) {
    (self.curve, high, low) = (curve, 0, 0)
    for byte in bytes {
      high = high << 8 | low >> 120
      low = low << 8 | UInt128(byte)
    }
  }

  private static let orderOfP192 = Scalar(.p192, unreduced: Curve.p192.order)
  private static let orderOfP256 = Scalar(.p256, unreduced: Curve.p256.order)

  /// Subtracts the order once if the number is not below it, or if `carry` tells that 2²⁵⁶ must be added to the number.
  private mutating func reduce(carry: Bool = false) {
    let order = curve == .p192 ? Self.orderOfP192 : Self.orderOfP256
    guard carry || (high, low) >= (order.high, order.low) else { return }
    let (difference, borrow) = low.subtractingReportingOverflow(order.low)
    (high, low) = (high &- order.high &- (borrow ? 1 : 0), difference)
  }

  /// Big-endian in the curve's field size.
  var bytes: [UInt8] {
    let all = [high, low].flatMap { half in (0..<16).map { UInt8(truncatingIfNeeded: half >> (120 - 8 * $0)) } }
    return Array(all.suffix(curve.fieldByteCount))
  }

  /// The bytes as the start of a digest; the rest of the digest is ignored.
  var digest: SHA256Digest {
    let bytes = bytes
    return SHA256Digest(InlineArray { $0 < bytes.count ? bytes[$0] : 0xA5 })
  }

  static func + (left: Self, right: Self) -> Self {
    var sum = left
    let (low, carry) = left.low.addingReportingOverflow(right.low)
    let (high, overflow) = left.high.addingReportingOverflow(right.high)
    let (carried, overflowToo) = high.addingReportingOverflow(carry ? 1 : 0)
    (sum.high, sum.low) = (carried, low)
    sum.reduce(carry: overflow || overflowToo)
    return sum
  }

  static prefix func - (scalar: Self) -> Self {
    scalar == Scalar(scalar.curve, 0)
      ? scalar : Scalar(scalar.curve, difference(scalar.curve.order, scalar.bytes))
  }

  static func - (left: Self, right: Self) -> Self { left + -right }

  static func * (left: Self, right: Self) -> Self {
    var product = Scalar(left.curve, 0)
    for byte in right.bytes {
      for bit in (0..<8).reversed() {
        product = product + product
        if byte >> bit & 1 == 1 { product = product + left }
      }
    }
    return product
  }

  /// The signing key with this private scalar.
  var key: SigningKey {
    get throws {
      let bytes = bytes
      guard let key = try SigningKey(curve: curve, scalar: bytes.span) else { throw OutOfRange() }
      return key
    }
  }

  /// The x of the product with the generator, modulo the order.
  var x: Scalar {
    get throws {
      let point = try key.subjectPublicKeyInfo.suffix(2 * curve.fieldByteCount)
      return Scalar(curve, point.prefix(curve.fieldByteCount))
    }
  }

  struct OutOfRange: Error {}
}
