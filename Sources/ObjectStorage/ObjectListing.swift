internal import Base
internal import DurableFiles
internal import HTTPClient

/// One page of the answer to ListObjectsV2.
struct ListingPage {
  /// The objects, in the order of their keys.
  private(set) var objects: [RemoteObject] = []
  /// The token of the next page; nil if this is the last one.
  private(set) var next: String?

  /// Reads a page of a bucket. Nil if it is none.
  init?(_ bytes: [UInt8], of bucket: String) {
    var (key, size, tag, time) = ("", Int64?.none, String?.none, Timestamp?.none)
    var (isEncoded, isTruncated, isPage) = (false, false, false)
    var token: String?
    XMLElements.visit(bytes) { name, text in
      switch name {
      case "Key": key = text
      case "Size": size = Int64(text)
      case "ETag": tag = text.isEmpty ? nil : text
      case "LastModified": time = Timestamp(text)
      case "Contents":
        let address = RemoteAddress(bucket: bucket, key: key)
        objects.append(RemoteObject(address: address, byteCount: size, modified: time?.milliseconds, tag: tag))
        (size, tag, time) = (nil, nil, nil)
      case "EncodingType": isEncoded = text == "url"
      case "IsTruncated": isTruncated = text == "true"
      case "NextContinuationToken": token = text
      case "ListBucketResult": isPage = true
      default: break
      }
    }
    guard isPage, !isTruncated || token != nil else { return nil }
    next = isTruncated ? token : nil
    guard isEncoded else { return }
    for place in objects.indices {
      guard case .object(_, let key) = objects[place].address.place else { continue }
      let spaced = String(key.map { $0 == "+" ? " " : $0 })
      objects[place].address = RemoteAddress(bucket: bucket, key: spaced.percentDecoded ?? spaced)
    }
  }
}

extension ObjectClient {
  /// Calls `found` with the objects whose keys begin with a text, in the order of the bytes of their keys.
  func list(_ bucket: String, prefix: String, _ found: (RemoteObject) -> Void) throws(FileFailure) {
    let place = RemoteAddress(bucket: bucket, key: prefix)
    var (token, last) = (String?.none, "")
    repeat {
      var query = token.map { [("continuation-token", $0)] } ?? []
      query += [("encoding-type", "url"), ("list-type", "2"), ("prefix", prefix)]
      let head = try get(RemoteAddress(bucket: bucket, key: ""), query: query)
      guard head.status == 200 else { throw refusal(head, of: place) }
      guard let page = ListingPage(try body(of: place), of: bucket) else {
        throw FileFailure(.io, place.name, "The server's list of objects cannot be read")
      }
      for object in page.objects {
        guard case .object(_, let key) = object.address.place else { continue }
        // A list that does not advance would never end.
        guard key.utf8.starts(with: prefix.utf8), last.isEmpty || last.utf8.lexicographicallyPrecedes(key.utf8) else {
          throw FileFailure(.io, place.name, "The server's list of objects is not in the order of their keys")
        }
        last = key
        found(object)
      }
      guard page.next == nil || page.next != token else {
        throw FileFailure(.io, place.name, "The server's list of objects does not end")
      }
      token = page.next
    } while token != nil
  }
}
