#include "CSimdjson.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

using namespace simdjson;

static_assert(CSIMDJSON_PADDING >= SIMDJSON_PADDING, "simdjson reads further than the header says");

namespace {

struct name {
  std::string text;
  uint32_t index;
};

bool is_number_end(uint8_t byte) {
  switch (byte) {
    case ' ': case '\t': case '\n': case '\r': case ',': case ']': case '}': return true;
    default: return false;
  }
}

/// Returns true if the text is a number (RFC 8259, section 6).
bool is_number(const uint8_t *at, const uint8_t *end) {
  auto digits = [&] {
    const uint8_t *first = at;
    while (at < end && *at >= '0' && *at <= '9') ++at;
    return at - first;
  };
  if (at < end && *at == '-') ++at;
  const bool zero = at < end && *at == '0';
  const auto integer = digits();
  if (integer == 0 || (zero && integer > 1)) return false;
  if (at < end && *at == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at < end && (*at == '+' || *at == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == end;
}

}  // namespace

struct csimdjson_parser {
  dom::parser dom;
  size_t maximum_depth;
  /// The known names by their length.
  std::vector<std::vector<name>> names;
  /// The known names in the order in which they were given.
  std::vector<std::string_view> ordered;
  std::vector<csimdjson_value> fields;
  std::vector<csimdjson_member> members;
  /// The keys, except known ones, of the objects around the current place, outermost first.
  std::vector<std::string_view> keys;
  std::string unescaped;
  std::string problem;
  std::vector<uint8_t> blanked;

  // The state of the walk through the parsed text; `next` is the current place in `structurals`. simdjson lists an index
  // for every bracket, comma and colon, and for the first byte of every string and scalar.
  const uint8_t *text = nullptr;
  size_t count = 0;
  const uint32_t *structurals = nullptr;
  size_t next = 0;

  csimdjson_parser(std::string_view given, size_t depth) : maximum_depth(depth) {
    uint32_t index = 0;
    for (size_t end; (end = given.find('\n')) != given.npos; given.remove_prefix(end + 1)) {
      if (names.size() <= end) names.resize(end + 1);
      names[end].push_back({std::string(given.substr(0, end)), index++});
    }
    fields.resize(index);
    ordered.resize(index);
    for (const auto &same : names) {
      for (const name &known : same) ordered[known.index] = known.text;
    }
  }

  csimdjson_status parse(csimdjson_value &root);
  error_code parse_with_numbers_blanked(dom::element &root);
  bool walk(dom::element element, csimdjson_value &value, bool is_root);
  bool walk_array(dom::array array, bool is_root);
  bool walk_object(dom::object object, bool is_root);
  csimdjson_value string_value(std::string_view string, size_t place);
  size_t find(std::string_view key, size_t expected) const;
};

/// Parses again with a 0 in place of every number, if all numbers are well formed. JSON allows numbers of any size, and
/// simdjson refuses those that no 64-bit type can hold. The text of each number is taken from the original.
error_code csimdjson_parser::parse_with_numbers_blanked(dom::element &root) {
  const auto &implementation = *dom.implementation;
  blanked.assign(text, text + count);
  blanked.resize(count + CSIMDJSON_PADDING);
  for (size_t index = 0; index < implementation.n_structural_indexes; ++index) {
    const uint32_t start = implementation.structural_indexes[index];
    if (text[start] != '-' && (text[start] < '0' || text[start] > '9')) continue;
    size_t end = start;
    while (end < count && !is_number_end(text[end])) ++end;
    if (!is_number(text + start, text + end)) return NUMBER_ERROR;
    std::memset(blanked.data() + start, ' ', end - start);
    blanked[start] = '0';
  }
  return dom.parse(blanked.data(), count, false).get(root);
}

csimdjson_status csimdjson_parser::parse(csimdjson_value &root) {
  members.clear();
  keys.clear();
  unescaped.clear();
  problem.clear();
  std::fill(fields.begin(), fields.end(), csimdjson_value{});
  if (count > SIMDJSON_MAXSIZE_BYTES) {
    problem = "the text is too long";
    return CSIMDJSON_FAILED;
  }
  if (dom.capacity() < count || dom.max_depth() != maximum_depth) {
    if (dom.allocate(std::max(count, size_t(4096)), maximum_depth) != SUCCESS) {
      problem = "out of memory";
      return CSIMDJSON_FAILED;
    }
  }
  // Newer versions of simdjson skip a byte order mark and count indices from its end. RFC 8259 does not allow one.
  if (count >= 3 && std::memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
    problem = "the JSON is preceded by a byte order mark";
    return CSIMDJSON_NOT_JSON;
  }
  dom::element element;
  error_code error = dom.parse(text, count, false).get(element);
  if (error == NUMBER_ERROR) error = parse_with_numbers_blanked(element);
  if (error != SUCCESS) {
    problem = error_message(error);
    switch (error) {
      case DEPTH_ERROR: return CSIMDJSON_TOO_DEEP;
      case UTF8_ERROR: return CSIMDJSON_INVALID_UTF8;
      case MEMALLOC: case CAPACITY: case UNINITIALIZED: return CSIMDJSON_FAILED;
      default: return CSIMDJSON_NOT_JSON;
    }
  }
  structurals = dom.implementation->structural_indexes.get();
  next = 0;
  return walk(element, root, true) ? CSIMDJSON_OK : CSIMDJSON_DUPLICATE_KEY;
}

/// Returns the string at a structural index.
inline csimdjson_value csimdjson_parser::string_value(std::string_view string, size_t place) {
  const uint32_t start = structurals[place] + 1;
  size_t end = structurals[place + 1];
  while (text[--end] != '"') {}
  const uint32_t length = uint32_t(end) - start;
  // An escape is always longer than its character.
  if (length == string.size()) return {CSIMDJSON_STRING, 0, start, length};
  const uint32_t offset = uint32_t(unescaped.size());
  unescaped.append(string);
  return {CSIMDJSON_STRING, 1, offset, uint32_t(string.size())};
}

/// Returns the index of a known name, and a number beyond all if the name is not known. `expected` is tried first.
inline size_t csimdjson_parser::find(std::string_view key, size_t expected) const {
  if (expected < ordered.size() && ordered[expected] == key) return expected;
  if (key.size() >= names.size()) return ordered.size();
  for (const name &known : names[key.size()]) {
    if (std::memcmp(known.text.data(), key.data(), key.size()) == 0) return known.index;
  }
  return ordered.size();
}

/// Stores the position of `element`, which is at the current structural index. Returns false if a key occurs twice.
inline bool csimdjson_parser::walk(dom::element element, csimdjson_value &value, bool is_root) {
  const uint32_t start = structurals[next];
  auto scalar = [&](csimdjson_kind kind, uint32_t length) {
    ++next;
    value = {kind, 0, start, length};
    return true;
  };
  auto container = [&](csimdjson_kind kind) {
    value = {kind, 0, start, structurals[next - 1] + 1 - start};
    return true;
  };
  switch (element.type()) {
    case dom::element_type::STRING:
      value = string_value(std::string_view(element), next++);
      return true;
    case dom::element_type::NULL_VALUE: return scalar(CSIMDJSON_NULL, 4);
    case dom::element_type::BOOL: return bool(element) ? scalar(CSIMDJSON_TRUE, 4) : scalar(CSIMDJSON_FALSE, 5);
    case dom::element_type::INT64:
    case dom::element_type::UINT64:
    case dom::element_type::DOUBLE: {
      size_t end = start;
      while (end < count && !is_number_end(text[end])) ++end;
      return scalar(CSIMDJSON_NUMBER, uint32_t(end) - start);
    }
    case dom::element_type::ARRAY:
      if (!walk_array(dom::array(element), is_root)) return false;
      return container(CSIMDJSON_ARRAY);
    case dom::element_type::OBJECT:
      if (!walk_object(dom::object(element), is_root)) return false;
      return container(CSIMDJSON_OBJECT);
  }
  return false;
}

bool csimdjson_parser::walk_array(dom::array array, bool is_root) {
  ++next;
  for (dom::element child : array) {
    csimdjson_value found;
    if (!walk(child, found, false)) return false;
    if (is_root) members.push_back({{}, found});
    ++next;  // the comma, or the bracket
  }
  if (array.begin() == array.end()) ++next;
  return true;
}

bool csimdjson_parser::walk_object(dom::object object, bool is_root) {
  ++next;
  const size_t first = keys.size();
  // Tables have their columns in the order of the names.
  size_t expected = 0;
  for (auto [key, child] : object) {
    const size_t place = next;
    next += 2;  // the key and the colon
    csimdjson_value found;
    if (!walk(child, found, false)) return false;
    ++next;  // the comma, or the bracket
    if (const size_t index = is_root ? find(key, expected) : fields.size(); index < fields.size()) {
      if (fields[index].kind != CSIMDJSON_ABSENT) {
        problem = key;
        return false;
      }
      fields[index] = found;
      expected = index + 1;
      continue;
    }
    keys.push_back(key);
    if (is_root) members.push_back({string_value(key, place), found});
  }
  if (object.begin() == object.end()) ++next;
  if (keys.size() == first) return true;
  const auto own = keys.begin() + first;
  std::sort(own, keys.end());
  const auto twice = std::adjacent_find(own, keys.end());
  if (twice != keys.end()) {
    problem = *twice;
    return false;
  }
  keys.resize(first);
  return true;
}

csimdjson_parser *csimdjson_new(const char *names, size_t maximum_depth) try {
  return new csimdjson_parser(names, maximum_depth);
} catch (...) {
  return nullptr;
}

void csimdjson_free(csimdjson_parser *parser) { delete parser; }

void csimdjson_parse(csimdjson_parser *parser, const uint8_t *text, size_t count, csimdjson_result *result) try {
  *result = {};
  parser->text = text;
  parser->count = count;
  result->status = parser->parse(result->root);
  result->fields = parser->fields.data();
  result->members = parser->members.data();
  result->member_count = parser->members.size();
  result->unescaped = reinterpret_cast<const uint8_t *>(parser->unescaped.data());
  result->unescaped_count = parser->unescaped.size();
  result->problem = parser->problem.c_str();
} catch (...) {
  *result = {};
  result->status = CSIMDJSON_FAILED;
  result->problem = "out of memory";
}

const char *csimdjson_version(void) { return SIMDJSON_STRINGIFY(SIMDJSON_VERSION); }
