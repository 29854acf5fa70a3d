// The number of tests that run at once is set by a constructor, so there is nothing to include.
