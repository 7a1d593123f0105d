// SPDX-License-Identifier: MIT
// `fibtrie lookup`: the longest match of addresses.
//
// Thread safety: one thread.
// Progress: a fixed buffer; any number of addresses may come from standard input.
#include <fmt/format.h>

#include <limits>

#include "io/address_text.hpp"
#include "io/record_file.hpp"
#include "tools/commands.hpp"
#include "tools/output.hpp"
#include "tools/table.hpp"

namespace fibtrie::tools {
namespace {

constexpr std::size_t addresses_per_section = 4096;
constexpr const char* standard_input = "/dev/stdin";

// Answers addresses in blocks, each in one read section.
class answerer {
 public:
  answerer(const table& asked, output& out) : table_(asked), out_(out) {
    addresses_.reserve(addresses_per_section);
    answers_.reserve(addresses_per_section);
  }

  void ask(key32 address) {
    addresses_.push_back(address);
    if (addresses_.size() == addresses_per_section) answer_all();
  }

  void answer_all() {
    answers_.clear();
    {
      const read_section section(table_.flavour());
      for (const key32 address : addresses_) answers_.push_back(table_->match(address));
    }
    table_.quiescent_state();
    for (std::size_t i = 0; i < addresses_.size(); ++i) put(addresses_[i], answers_[i]);
    addresses_.clear();
    if (!out_.flush()) out_.finish();  // throws: no use in reading on
  }

 private:
  void put(key32 address, const match_result<key32>& answer) {
    char text[io::max_address_text + 1 + io::max_prefix_text + 1];
    char* end = io::write_address(text, address);
    *end++ = ' ';
    io::text_sink& sink = out_.text();
    if (!answer.found) {
      sink.put({text, static_cast<std::size_t>(end - text)}).put("none\n");
      return;
    }
    end = io::write_prefix(end, answer.route);
    *end++ = ' ';
    sink.put({text, static_cast<std::size_t>(end - text)});
    table_.put_result(sink, answer.value);
    sink.put('\n');
  }

  const table& table_;
  output& out_;
  std::vector<key32> addresses_;
  std::vector<match_result<key32>> answers_;
};

void answer_standard_input(answerer& answers, bool skip_bad) {
  io::load_options options;
  options.skip_bad = skip_bad;
  options.max_records = std::numeric_limits<std::uint64_t>::max();  // none of them is kept
  io::load_report report;
  const bool ok = io::read_records(standard_input, options, report, [&](std::string_view record) -> const char* {
    key32 address = 0;
    const io::address_error error = io::parse_address(record, address);
    if (error != io::address_error::none) return io::to_text(error);
    answers.ask(address);
    return nullptr;
  });
  answers.answer_all();  // of those before a bad line, too
  if (!ok) throw failure(exit_code::bad_input, report.error);
  report_skipped(standard_input, report);
}

// Before anything is loaded, so that a slip of the finger shows at once.
std::vector<key32> parse_arguments(const std::vector<std::string>& texts) {
  std::vector<key32> parsed(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const io::address_error error = io::parse_address(texts[i], parsed[i]);
    if (error == io::address_error::none) continue;
    throw failure(exit_code::bad_input, fmt::format("address {} ('{}'): {}", i + 1, texts[i], io::to_text(error)));
  }
  return parsed;
}

}  // namespace

void lookup_command(const settings& wanted) {
  const bool from_standard_input = wanted.addresses.size() == 1 && wanted.addresses[0] == "-";
  std::vector<key32> given;
  if (!from_standard_input) given = parse_arguments(wanted.addresses);
  table asked(wanted);
  asked.load(wanted.routes_file, wanted.skip_bad);
  output out;
  answerer answers(asked, out);
  if (from_standard_input) {
    answer_standard_input(answers, wanted.skip_bad);
  } else {
    for (const key32 address : given) answers.ask(address);
    answers.answer_all();
  }
  out.finish();
}

}  // namespace fibtrie::tools
