// SPDX-License-Identifier: MIT
// Playing operation lists.
//
// Thread safety: one thread.
#include "io/list_player.hpp"

#include <fmt/format.h>

#include "io/net_proc_text.hpp"
#include "io/net_world.hpp"
#include "io/proc_text.hpp"
#include "io/route_text.hpp"

namespace fibtrie::io {

// Messages about the list's own tables, as lines.
class list_player::recorder final : public route_listener {
 public:
  recorder(fib_net& net, list_player& player) : net_(net), name_(names_in(net)), player_(player) {}
  ~recorder() override { net_.unsubscribe(*this); }
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  void on_message(const route_message& m) override {
    const std::uint32_t table = m.route->table;
    const list_settings& s = player_.settings_;
    if (s.merged ? table != table_id::main && table != table_id::local : table != s.table()) return;
    player_.events_ += fmt::format("{} {}\n", player_.operations_, message_text(m, name_, s.merged ? 0 : s.table()));
  }

 private:
  fib_net& net_;
  name_of_device name_;
  list_player& player_;
};

std::string list_player::play(const std::string& path, bool with_steps, const std::function<void()>& between) {
  ops_reader reader(path);
  settings_ = reader.settings();
  if (!reader.error().empty()) return reader.error();
  status code = make_world(net_, settings_);
  recorder messages(net_, *this);
  if (code == status::ok) code = net_.subscribe(messages);
  if (code != status::ok) return path + ": " + to_text(code);
  return run(reader, with_steps, between);
}

std::string list_player::run(ops_reader& reader, bool with_steps, const std::function<void()>& between) {
  operation op;
  while (reader.next(op)) {
    ++operations_;
    const auto result = result_text(apply(net_, op));
    results_.append(result).append("\n");
    if (between) between();
    if (with_steps) steps_ += fmt::format("== {}: {} => {}\n", operations_, op.text, result) + trie();
  }
  return reader.error();
}

// The tables that the list is about.
template <class Visit>
void list_player::for_each_table(Visit&& visit) const {
  if (!settings_.merged) return visit(settings_.table());
  for (const std::uint32_t table : net_.tables()) {
    if (table == table_id::main || table == table_id::local) visit(table);
  }
}

std::string list_player::trie() const {
  std::string text;
  text_sink sink(text);
  for_each_table([&](std::uint32_t table) { write_fib_trie(sink, net_, table); });
  sink.flush();
  return text;
}

std::string list_player::triestat() const {
  std::string text;
  text_sink sink(text);
  write_fib_triestat_head(sink);
  for_each_table([&](std::uint32_t table) { write_fib_triestat(sink, net_, table); });
  sink.flush();
  return text;
}

void list_player::for_each_route(const std::function<void(const route_report&)>& visit) const {
  const auto dump = [&](std::uint32_t table) {
    dump_cursor cursor;
    net_.dump(cursor, table, [&](const route_report& r) {
      visit(r);
      return true;
    });
  };
  if (settings_.merged) dump(table_id::local);
  dump(settings_.table());
}

std::string list_player::routes() const {
  std::string text;
  const auto name = names_in(net_);
  for_each_route(
      [&](const route_report& r) { text += route_text(r, name, settings_.merged ? 0 : settings_.table()) + "\n"; });
  return text;
}

std::string list_player::ip_routes() const {
  std::string text;
  const auto name = names_in(net_);
  for_each_route([&](const route_report& r) { text += ip_route_text(r, name) + "\n"; });
  return text;
}

std::string list_player::ip_json() const {
  std::string text;
  const auto name = names_in(net_);
  for_each_route([&](const route_report& r) { text += (text.empty() ? "[" : ",\n") + ip_route_json(r, name); });
  return text.empty() ? "[]\n" : text + "]\n";
}

}  // namespace fibtrie::io
