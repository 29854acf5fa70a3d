import Base
import ConversionModel
import Signatures

@testable import DailyReports
@testable import LookupTables

/// Files that an operator writes: models, rates, lookup tables and costs.
enum TableInput {
  static func model(_ bytes: [UInt8]) {
    do throws(ModelErrors) { _ = try Models(parsing: bytes, file: "model.json") } catch {
      require(!error.description.isEmpty, "errors have a description")
    }
  }

  static func rates(_ bytes: [UInt8]) {
    do throws(ModelErrors) { _ = try CurrencyRates(parsing: bytes, file: "rates.csv") } catch {
      require(!error.description.isEmpty, "errors have a description")
    }
  }

  /// A byte that chooses the table and its format, and its text.
  static func lookups(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let suffix = choice & 4 == 0 ? "csv" : "json"
    let dates: LookupDateFormat? = choice & 8 == 0 ? nil : .monthDayYear
    let file = LookupFile(path: "table.\(suffix)", bytes: Array(input.dropFirst()), dates: dates)
    var findings = LookupFindings()
    switch choice & 3 {
    case 0:
      var names = AppNames()
      names.read(file, &findings)
    case 1:
      var names = SourceAppNames()
      names.read(file, &findings)
    case 2:
      var networks = Networks()
      networks.read(file, &findings)
    default:
      var campaigns = Campaigns()
      campaigns.read(file, Networks(), &findings)
      campaigns.checkOverlaps(in: file.path, allowed: false, &findings)
      _ = CampaignIndex(campaigns)
    }
    for problem in findings.problems { require(!problem.description.isEmpty, "a problem has a description") }
  }

  /// A byte that chooses the format, and the text of the costs.
  static func cost(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let suffix = choice & 4 == 0 ? "csv" : "json"
    let file = LookupFile(path: "cost.\(suffix)", bytes: Array(input.dropFirst()), dates: nil)
    do throws(Lookups.Failure) { _ = try Costs(file, Networks(), allowingCredits: choice & 1 == 1) } catch {
      guard case .tables(let errors) = error else { fatalError("\(error)") }
      require(!errors.description.isEmpty, "errors have a description")
    }
  }
}
