#pragma once

#include "generator.h"

/// Read only, once made.
struct clibcrypto_fixed_base {
  /// Those of the key's point, Q. What has been computed with them may be used with those of G.
  clibcrypto_multiples multiples;
};
