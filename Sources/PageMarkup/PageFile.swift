internal import CReportPage
package import Signatures

/// A style sheet or script that is embedded in the program. A page has it in itself, and permits it by its digest.
package enum PageFile {
  /// The style of all pages.
  case style
  /// The style of a case, in addition.
  case caseStyle
  /// The script of the report.
  case script

  /// The content.
  package var text: String {
    let file =
      switch self {
      case .style: unsafe creportpage_style()
      case .caseStyle: unsafe creportpage_case_style()
      case .script: unsafe creportpage_script()
      }
    return unsafe String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
  }

  /// The digest by which a content security policy names the element with this content.
  package func policyDigest() throws(LibcryptoFailure) -> HTML { try HTML(self).policyDigest() }
}
