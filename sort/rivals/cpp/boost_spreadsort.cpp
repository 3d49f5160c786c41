// Boost.Sort's spreadsort for strings, on pointer and length.
#include <algorithm>
#include <boost/sort/spreadsort/string_sort.hpp>
#include <cstddef>
#include <cstring>

namespace {

// Boost 1.74 calls iter_swap without naming its namespace; found here through Row.
using std::iter_swap;

struct Row {
  const unsigned char *start;
  std::size_t len;
};

struct Byte {
  unsigned char operator()(const Row &row, std::size_t at) const { return row.start[at]; }
};

struct Length {
  std::size_t operator()(const Row &row) const { return row.len; }
};

struct Less {
  bool operator()(const Row &a, const Row &b) const {
    int order = std::memcmp(a.start, b.start, a.len < b.len ? a.len : b.len);
    return order < 0 || (order == 0 && a.len < b.len);
  }
};

} // namespace

extern "C" void rival_boost_spreadsort(Row *rows, std::size_t len) {
  boost::sort::spreadsort::string_sort(rows, rows + len, Byte(), Length(), Less());
}
