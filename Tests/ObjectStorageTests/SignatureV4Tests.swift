import Base
import Testing

@testable import ObjectStorage

/// The examples of AWS's documentation of Signature Version 4 for S3.
@Suite struct `The signature of a request` {
  private func signature(path: String = "/", query: String, token: String? = nil) throws -> String {
    let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    let credentials = try #require(AWSCredentials("AKIAIOSFODNN7EXAMPLE", secret, sessionToken: token))
    let headers = try SignatureV4(credentials: credentials, region: "us-east-1").headers(
      host: "examplebucket.s3.amazonaws.com",
      path: path,
      query: query,
      at: try #require(Timestamp("2013-05-24T00:00:00Z"))
    )
    #expect(!headers.joined().contains(secret))
    return try #require(headers.last)
  }

  @Test func `of a list of objects is that of the example`() throws {
    let expected = """
      authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, \
      SignedHeaders=host;x-amz-content-sha256;x-amz-date, \
      Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7
      """
    #expect(try signature(query: "max-keys=2&prefix=J") == expected)
  }

  @Test func `of a parameter without a value is that of the example`() throws {
    let expected = "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    #expect(try signature(query: "lifecycle=").hasSuffix(expected))
  }

  @Test func `covers the session token`() throws {
    let signature = try signature(query: "", token: "token")
    #expect(signature.contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"))
  }

  @Test func `is over percent-encoded keys`() {
    #expect("a/b c+é~".percentEncoded(keeping: UInt8(ascii: "/")) == "a/b%20c%2B%C3%A9~")
    #expect("a/b\n".percentEncoded == "a%2Fb%0A")
  }
}
