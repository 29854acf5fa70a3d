import Testing

@testable import ObjectStorage

@Suite struct `A remote address` {
  @Test(arguments: ["dump.jsonl", "-", "/tmp/s3:/x", "ftp://host/x", "s3:/bucket/key", "file:///x", "in/https:x"])
  func `is none where it is the path of a file`(path: String) {
    #expect(RemoteAddress(path) == nil)
  }

  @Test(arguments: [
    ("https://user:secret@host:8443/a/b?X-Amz-Signature=secret#secret", "https://host:8443/a/b"),
    ("HTTP://host?token=secret", "HTTP://host"), ("https://host/a@b", "https://host/a@b"),
    ("https://a:s@b:secret@host/", "https://host/"), ("https://host/#/secret", "https://host/"),
    ("s3://bucket/a key/?#%41", "s3://bucket/a key/?#%41"), ("s3://bucket", "s3://bucket/"),
  ])
  func `is named without what may be secret`(path: String, name: String) throws {
    #expect(try #require(RemoteAddress(path)).name == name)
    #expect(RemoteInputs.name(of: path) == name)
  }

  @Test func `has a bucket and a key, whose bytes stay as they are`() throws {
    guard case .object(let bucket, let key) = try #require(RemoteAddress("S3://Bucket-1//a%20b/")).place else {
      Issue.record("It is not the address of an object.")
      return
    }
    #expect((bucket, key) == ("Bucket-1", "/a%20b/"))
  }
}
