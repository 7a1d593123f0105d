// SPDX-License-Identifier: MIT
// See route_file.hpp.
#include "io/route_file.hpp"

#include <algorithm>
#include <charconv>
#include <new>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "io/address_text.hpp"
#include "io/words.hpp"

namespace fibtrie::io {

namespace {

bool is_number(std::string_view word) noexcept {
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_printable(std::string_view word) noexcept {
  return std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c <= '~'; });
}

class route_reader {
 public:
  route_reader(const route_file_options& options, loaded_routes& out) : options_(options), out_(out) {}

  const char* take(std::string_view record) {
    prefix4 route;
    const address_error error = parse_prefix(take_word(record), route);
    if (error != address_error::none) return to_text(error);
    std::uint32_t result = options_.default_result ? *options_.default_result : implied_result(route);
    bool named = false;
    if (const std::string_view word = take_word(record); !word.empty()) {
      if (!take_word(record).empty()) return "more than two columns";
      named = !is_number(word);
      if (const char* reason = named ? parse_name(word, result) : parse_number(word, result); reason != nullptr) {
        return reason;
      }
    }
    if (named) {
      named_.resize(out_.routes.size());
      named_.push_back(true);
    } else {
      largest_ = std::max(largest_, result);
    }
    ascending_ = ascending_ && (out_.routes.empty() || out_.routes.back().route < route);
    out_.routes.push_back({route, result});
    return nullptr;
  }

  // Moves the names' numbers above all results that lines gave themselves.  Before merge_duplicates().
  const char* number_names() {
    if (named_.empty()) return nullptr;
    if (out_.next_hop_names.size() > ~std::uint32_t{0} - largest_) {
      return "the numbers leave none for the next hops' names";
    }
    out_.first_name = largest_ + 1;
    for (std::size_t i = 0; i < named_.size(); ++i) {
      if (named_[i]) out_.routes[i].result += largest_;
    }
    return nullptr;
  }

  // A file in ascending order has no duplicates, and is spared the sort.
  void merge_duplicates();

 private:
  static const char* parse_number(std::string_view word, std::uint32_t& result) {
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), result);
    return code == std::errc{} ? nullptr : "the number is more than 32 bits";
  }

  const char* parse_name(std::string_view word, std::uint32_t& result) {
    if (!is_printable(word)) return "unprintable bytes in the second column";
    const auto [place, added] =
        numbers_.try_emplace(std::string(word), static_cast<std::uint32_t>(numbers_.size() + 1));
    if (added) out_.next_hop_names.emplace_back(word);
    result = place->second;
    return nullptr;
  }

  const route_file_options& options_;
  loaded_routes& out_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<bool> named_;    // as far as the last route with a name
  std::uint32_t largest_ = 0;  // of the results that are no names; 0 without any, which moves nothing
  bool ascending_ = true;
};

void route_reader::merge_duplicates() {
  if (ascending_) return;
  auto& routes = out_.routes;
  std::vector<std::uint32_t> order(routes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return routes[a].route != routes[b].route ? routes[a].route < routes[b].route : a < b;
  });
  std::vector<bool> repeated(routes.size());
  for (std::size_t i = 0, first = 0; i < order.size(); ++i) {
    if (routes[order[i]].route != routes[order[first]].route) first = i;
    if (i == first) continue;
    routes[order[first]].result = routes[order[i]].result;
    repeated[order[i]] = true;
    ++out_.duplicates;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (!repeated[i]) routes[kept++] = routes[i];
  }
  routes.resize(kept);
}

}  // namespace

bool load_routes(const std::string& path, const route_file_options& options, loaded_routes& out) noexcept {
  try {
    out = {};
    route_reader reader(options, out);
    const bool ok =
        read_records(path, options, out.report, [&](std::string_view record) { return reader.take(record); });
    if (ok) {
      const char* reason = reader.number_names();
      if (reason == nullptr) {
        reader.merge_duplicates();
        return true;
      }
      out.report.error = path + ": " + reason;
    }
  } catch (const std::bad_alloc&) {
    out.report.error = "out of memory";  // short enough to need no memory
  }
  out.routes = {};
  out.next_hop_names = {};
  return false;
}

std::uint32_t implied_result(prefix4 route) noexcept {
  // Knuth's multiplicative hash; the length goes in, too, so that nested prefixes with one key differ.
  const std::uint32_t mixed = (route.key ^ (route.plen * 0x01000193u)) * 2654435761u;
  return 1 + static_cast<std::uint32_t>(std::uint64_t{mixed} * 250 >> 32);
}

}  // namespace fibtrie::io
