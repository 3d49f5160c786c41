// Sorts its arguments, as sort.c does, with memory that is kept between the calls.
//
//     c++ -std=c++17 examples/sort.cpp $(pkg-config --cflags --libs skipsort) -o sort && ./sort pear apple fig
#include <skipsort.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace {

struct free_scratch {
    void operator()(skipsort_scratch *scratch) const { skipsort_scratch_free(scratch); }
};

void check(int status) {
    if (status != SKIPSORT_OK) throw std::runtime_error(skipsort_strerror(status));
}

std::string_view key(const skipsort_row &row) {
    return {static_cast<const char *>(row.key), row.length};
}

void sort(std::vector<skipsort_row> rows) {
    const std::unique_ptr<skipsort_scratch, free_scratch> scratch{skipsort_scratch_new(0)};
    skipsort_options options{};
    options.scratch = scratch.get();

    options.flags = SKIPSORT_DESCENDING;
    std::vector<uint64_t> order(rows.size());
    check(skipsort_indices64(rows.data(), rows.size(), &options, order.data()));
    const skipsort_row last = rows[order[0]];

    skipsort_row first{};
    check(skipsort_top_k(rows.data(), rows.size(), 1, &first));

    options.flags = 0;
    check(skipsort_sort(rows.data(), rows.size(), &options));
    for (const skipsort_row &row : rows) std::cout << row.payload << ' ' << key(row) << '\n';
    std::cout << "last: " << key(last) << "\nfirst: " << key(first) << '\n';
}

}  // namespace

int main(int argc, char **argv) {
    std::vector<skipsort_row> rows;
    for (int i = 1; i < argc; i++) {
        const std::string_view word = argv[i];
        rows.push_back({word.data(), word.size(), static_cast<uint64_t>(i)});
    }
    if (rows.empty()) return 0;
    try {
        sort(rows);
    } catch (const std::exception &error) {
        std::cerr << "sort: " << error.what() << '\n';
        return 1;
    }
}
