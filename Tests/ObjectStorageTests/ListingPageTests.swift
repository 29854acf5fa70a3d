import Testing

@testable import ObjectStorage

@Suite struct `A page of a list of objects` {
  private func listing(_ content: String) -> ListingPage? {
    ListingPage(
      Array("<?xml version=\"1.0\"?>\n<ListBucketResult xmlns=\"x\">\(content)</ListBucketResult>".utf8),
      of: "b"
    )
  }

  @Test func `has the objects in their order, with what identifies their content`() throws {
    let page = try #require(
      listing(
        """
        <Name>b</Name><Prefix>a</Prefix><EncodingType>url</EncodingType><KeyCount>2</KeyCount><IsTruncated>false</IsTruncated>
        <Contents><Key>a/b+c%2B%C3%A9%3C</Key><LastModified>2026-03-10T00:00:00.000Z</LastModified>
        <ETag>&quot;0a-1&quot;</ETag><Size>9000000000</Size><Owner><ID>o</ID></Owner></Contents>
        <Contents><Key>b</Key></Contents>
        """
      )
    )
    #expect(page.next == nil)
    #expect(page.objects.map(\.address.name) == ["s3://b/a/b c+é<", "s3://b/b"])
    #expect(page.objects.map(\.tag) == ["\"0a-1\"", nil])
    #expect(page.objects.map(\.byteCount) == [9_000_000_000, nil])
    #expect(page.objects.map(\.modified) == [1_773_100_800_000, nil])
  }

  @Test func `keeps keys that are not encoded, with the references of XML`() throws {
    let page = try #require(listing("<Contents><Key>a+%41&amp;&lt;&#x41;&#66;&unknown;</Key></Contents>"))
    #expect(page.objects.map(\.address.name) == ["s3://b/a+%41&<AB&unknown;"])
  }

  @Test func `names the next page`() throws {
    let page = try #require(
      listing("<IsTruncated>true</IsTruncated><NextContinuationToken>a=&amp;/+</NextContinuationToken>")
    )
    #expect(page.next == "a=&/+")
    #expect(try #require(listing("<NextContinuationToken>x</NextContinuationToken>")).next == nil)
  }

  @Test(arguments: [
    "", "<html>not found</html>", "<ListBucketResult>", "<Error><Code>AccessDenied</Code></Error>",
    "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", "<<<>>>", "</", "<a", "{}",
  ])
  func `is none where the answer is no complete list`(text: String) {
    #expect(ListingPage(Array(text.utf8), of: "b") == nil)
  }
}
