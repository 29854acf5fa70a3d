package import Signatures

/// The head of a page that loads nothing from elsewhere: it has its styles and its script in itself, and permits no others.
package struct PageHead {
  private let title: String
  private let styles: [PageFile]
  private let script: PageFile?

  /// The head of a page with these styles, and with a script at its end; nil for a page without one.
  package init(_ title: String, styles: [PageFile], script: PageFile? = nil) {
    (self.title, self.styles, self.script) = (title, styles, script)
  }

  /// Returns the beginning of the page, up to the end of its head. Throws if a digest for the security policy cannot be computed.
  package func html() throws(LibcryptoFailure) -> HTML {
    var policy: HTML = ""
    if let script { policy += "script-src \(try script.policyDigest()); " }
    policy += "style-src"
    var elements: HTML = ""
    for style in styles {
      policy += " \(try style.policyDigest())"
      elements += "<style>\(HTML(style))</style>\n"
    }
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'; \
      \(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <title>\(title)</title>
      \(elements)</head>
      """
  }
}
