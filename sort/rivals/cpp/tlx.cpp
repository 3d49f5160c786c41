// tlx's string sort, on pointers to zero-terminated strings.
#include <cstddef>
#include <tlx/sort/strings.hpp>

extern "C" void rival_tlx(const unsigned char **strings, std::size_t len) { tlx::sort_strings(strings, len); }
