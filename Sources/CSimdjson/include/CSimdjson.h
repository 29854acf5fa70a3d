/// A shim over simdjson's DOM parser. It parses one JSON container at a time and returns the values of known keys by index,
/// and all others in order; a value is the position of its text. It validates the whole text and keeps the text of numbers.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The number of bytes after the text that must be readable. Their values do not matter.
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
  /// The parser has no memory, or the text has 4 GiB or more. This says nothing about the text.
  CSIMDJSON_FAILED,
} csimdjson_status;

/// A value and its text: of a string the content between the quotes, of a container everything from bracket to bracket.
typedef struct csimdjson_value {
  csimdjson_kind kind;
  /// 0 if `start` is an offset in the parsed text, 1 if it is one in `unescaped`, because the string has escapes.
  uint8_t is_unescaped;
  uint32_t start;
  uint32_t count;
} csimdjson_value;

typedef struct csimdjson_member {
  /// The key; absent in an array.
  csimdjson_value key;
  csimdjson_value value;
} csimdjson_member;

/// The result of a parse. Its memory belongs to the parser and is valid until the next parse.
typedef struct csimdjson_result {
  csimdjson_status status;
  /// The value of the whole text. Only an object has `fields`; only a container has `members`.
  csimdjson_value root;
  /// The values of the known names, in the order given to `csimdjson_new`.
  const csimdjson_value *_Nullable fields;
  /// The members of an object with other keys, or the elements of an array, in order.
  const csimdjson_member *_Nullable members;
  size_t member_count;
  const uint8_t *_Nullable unescaped;
  size_t unescaped_count;
  /// For CSIMDJSON_DUPLICATE_KEY the repeated key, for another status than OK the problem in words.
  const char *_Nullable problem;
} csimdjson_result;

typedef struct csimdjson_parser csimdjson_parser;

/// Makes a parser. `names` are the known keys, each followed by a newline. Returns NULL if there is no memory.
csimdjson_parser *_Nullable csimdjson_new(const char *_Nonnull names, size_t maximum_depth);
void csimdjson_free(csimdjson_parser *_Nullable parser);

/// Parses `count` bytes, after which CSIMDJSON_PADDING more must be readable.
void csimdjson_parse(csimdjson_parser *_Nonnull parser, const uint8_t *_Nonnull text, size_t count,
                     csimdjson_result *_Nonnull result);

/// The version of the library, such as "3.0.1".
const char *_Nonnull csimdjson_version(void);

#ifdef __cplusplus
}
#endif
