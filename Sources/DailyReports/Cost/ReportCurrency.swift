internal import Base
package import ConversionModel
package import DurableFiles
internal import LookupTables
package import Signatures

/// The currency to which a report converts amounts, by the rates of a file.
package struct ReportCurrency: Sendable {
  /// The code of the currency.
  package let code: String
  /// The SHA-256 of the file of rates.
  package let digest: SHA256Digest
  /// The path of the file of rates.
  package let path: String
  private let rates: CurrencyRates

  /// The reason for which an amount cannot be converted.
  package enum Problem: Error, CustomStringConvertible {
    /// There is no rate, or the result is too large.
    case conversion(CurrencyConversionError)
    /// The install date is not known.
    case noDate(currency: String)

    /// The problem and its correction, as complete sentences.
    package var description: String {
      switch self {
      case .conversion(let error): "\(error)"
      case .noDate(let currency): "There is no install date by whose rate an amount in \(currency) could be converted."
      }
    }
  }

  /// The error of loading rates.
  package enum Failure: Error {
    /// The file cannot be read.
    case file(FileFailure)
    /// The file has problems.
    case rates(ModelErrors)
    /// The file has a header and no rates.
    case noRates
    /// libcrypto failed.
    case libcrypto(LibcryptoFailure)
  }

  /// Loads a file of rates, as `CurrencyRates` describes it, for conversions to the currency `code`.
  package init(_ code: String, loading path: String) throws(Failure) {
    (self.code, self.path) = (code, path)
    let file: LookupFile
    do { file = try LookupFile(at: path, dates: nil) } catch { throw .file(error) }
    do { digest = try file.digest() } catch { throw .libcrypto(error) }
    do { rates = try CurrencyRates(parsing: file.bytes, file: path) } catch { throw .rates(error) }
    // A report without any rate would have no revenue in the currency.
    if rates.days == nil { throw .noRates }
  }

  /// The amount in the report's currency, by the rates of a day since 1970; nil is a day that is not known.
  package func convert(_ amount: Amount, from currency: String, day: Int64?) throws(Problem) -> Amount {
    if currency == code { return amount }
    guard let day else { throw .noDate(currency: currency) }
    do throws(CurrencyConversionError) {
      return try rates.convert(amount, from: currency, to: code, on: Timestamp(milliseconds: day * 86_400_000))
    } catch {
      throw .conversion(error)
    }
  }
}
