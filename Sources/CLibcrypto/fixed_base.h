#pragma once

#include "generator.h"

/// Never changed after it is made.
struct clibcrypto_fixed_base {
  /// The multiples of the key's point, Q. Their group is compatible with that of G's multiples.
  clibcrypto_multiples multiples;
};
