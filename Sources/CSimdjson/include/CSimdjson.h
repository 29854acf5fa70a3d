/// simdjson's DOM parser, for flat JSON objects whose keys are mostly known.
#pragma once
