/// simdjson's DOM parser for one JSON container at a time: the values of known keys by index, all others in order, every
/// value by where its text stands. Validates the whole text; keeps numbers as they were written.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that must be readable, whatever they hold, behind the text that is parsed.
enum { CSIMDJSON_PADDING = 64 };

typedef enum csimdjson_kind : uint8_t {
  CSIMDJSON_ABSENT = 0,
  CSIMDJSON_NULL,
  CSIMDJSON_FALSE,
  CSIMDJSON_TRUE,
  CSIMDJSON_NUMBER,
  CSIMDJSON_STRING,
  CSIMDJSON_OBJECT,
  CSIMDJSON_ARRAY,
} csimdjson_kind;

typedef enum csimdjson_status : uint8_t {
  CSIMDJSON_OK = 0,
  CSIMDJSON_NOT_JSON,
  CSIMDJSON_TOO_DEEP,
  CSIMDJSON_INVALID_UTF8,
  CSIMDJSON_DUPLICATE_KEY,
  /// No memory, or a text of 4 GiB and more: says nothing about the text.
  CSIMDJSON_FAILED,
} csimdjson_status;

/// A value's text: of a string what is between the quotes, of a container both brackets and what is between them.
typedef struct csimdjson_value {
  csimdjson_kind kind;
  /// 0: offsets count from the text that was parsed; 1: from `unescaped`, since the string holds escapes.
  uint8_t is_unescaped;
  uint32_t start;
  uint32_t count;
} csimdjson_value;

typedef struct csimdjson_member {
  /// Absent in an array.
  csimdjson_value key;
  csimdjson_value value;
} csimdjson_member;

/// What a parse found; the parser's memory, good until its next parse.
typedef struct csimdjson_result {
  csimdjson_status status;
  /// The whole text's value. Only an object has `fields`, only a container `members`.
  csimdjson_value root;
  /// One for each known name, in the order given to `csimdjson_new`.
  const csimdjson_value *_Nullable fields;
  /// An object's members with other keys, or an array's elements, in order.
  const csimdjson_member *_Nullable members;
  size_t member_count;
  const uint8_t *_Nullable unescaped;
  size_t unescaped_count;
  /// For a status other than OK: what is wrong, in words; the key, where one is there twice.
  const char *_Nullable problem;
} csimdjson_result;

typedef struct csimdjson_parser csimdjson_parser;

/// `names`: the known keys, each with a newline behind it. NULL when there is no memory.
csimdjson_parser *_Nullable csimdjson_new(const char *_Nonnull names, size_t maximum_depth);
void csimdjson_free(csimdjson_parser *_Nullable parser);

/// Parses `count` bytes, behind which CSIMDJSON_PADDING more are readable.
void csimdjson_parse(csimdjson_parser *_Nonnull parser, const uint8_t *_Nonnull text, size_t count,
                     csimdjson_result *_Nonnull result);

/// The library's version, such as "3.0.1".
const char *_Nonnull csimdjson_version(void);

#ifdef __cplusplus
}
#endif
