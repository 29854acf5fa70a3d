extension Array {
  /// Returns the index of the first element that fits; the end if there is none. Elements after one that fits must fit too.
  @inlinable
  package func partitioningIndex(where fits: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if fits(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
