// SPDX-License-Identifier: MIT
// A netlink socket of the calling thread's network namespace, and messages to put into it.
//
// Thread safety: one thread.
// Invariants: 1. What the kernel answered to a request has been read when the request returns.
// Source: libmnl.
#pragma once

#include <libmnl/libmnl.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fibtrie::conformance {

// A message under construction; it grows as needed, up to capacity.
class netlink_message {
 public:
  static constexpr std::size_t capacity = 1 << 16;

  netlink_message(std::uint16_t type, std::uint16_t flags);
  netlink_message(netlink_message&&) = default;  // no copies: message_ points into storage_
  template <class Header>
  Header& header() {
    return *static_cast<Header*>(mnl_nlmsg_put_extra_header(message_, sizeof(Header)));
  }

  void put_u8(std::uint16_t type, std::uint8_t value) { mnl_attr_put_u8(message_, type, value); }
  void put_u32(std::uint16_t type, std::uint32_t value) { mnl_attr_put_u32(message_, type, value); }
  void put_address(std::uint16_t type, std::uint32_t address);  // in host order
  void put_text(std::uint16_t type, const std::string& text) { mnl_attr_put_strz(message_, type, text.c_str()); }
  void put(std::uint16_t type, const void* data, std::size_t bytes) { mnl_attr_put(message_, type, bytes, data); }
  nlattr* begin_nest(std::uint16_t type) { return mnl_attr_nest_start(message_, type); }
  void end_nest(nlattr* nest) { mnl_attr_nest_end(message_, nest); }
  // Raw bytes that belong to the attribute that was begun last.
  template <class Struct>
  Struct& append() {
    return *static_cast<Struct*>(mnl_nlmsg_put_extra_header(message_, sizeof(Struct)));
  }
  char* end() { return static_cast<char*>(mnl_nlmsg_get_payload_tail(message_)); }

  nlmsghdr* get() noexcept { return message_; }

 private:
  std::vector<char> storage_;
  nlmsghdr* message_;
};

// Visits the attributes in bytes of memory.
template <class Visit>
void for_each_attribute(const void* from, std::size_t bytes, Visit&& visit) {
  const auto* attr = static_cast<const nlattr*>(from);
  const char* const end = static_cast<const char*>(from) + bytes;
  while (mnl_attr_ok(attr, static_cast<int>(end - reinterpret_cast<const char*>(attr)))) {
    visit(attr);
    attr = mnl_attr_next(attr);
  }
}
// Those of a message behind its family's header.
template <class Visit>
void for_each_attribute(const nlmsghdr& message, std::size_t header_bytes, Visit&& visit) {
  const auto bytes = mnl_nlmsg_get_payload_len(&message);
  if (bytes <= header_bytes) return;
  for_each_attribute(static_cast<const char*>(mnl_nlmsg_get_payload_offset(&message, header_bytes)),
                     bytes - MNL_ALIGN(header_bytes), visit);
}

class netlink_socket {
 public:
  // protocol: NETLINK_ROUTE, ...; groups: RTNLGRP_* to listen to.  Throws std::runtime_error.
  explicit netlink_socket(int protocol, const std::vector<unsigned>& groups = {});
  ~netlink_socket();
  netlink_socket(const netlink_socket&) = delete;
  netlink_socket& operator=(const netlink_socket&) = delete;

  using visitor = std::function<void(const nlmsghdr&)>;

  // Sends, waits for the answer or for all of a dump.  0 or an errno.
  int request(netlink_message& message, const visitor& visit = {});
  // What the kernel added in words to its last refusal; often nothing.
  const std::string& reason() const noexcept { return reason_; }
  // Messages that have come without a request.
  void drain(const visitor& visit);

 private:
  int answer(const nlmsghdr* message, const visitor& visit, bool& done);

  mnl_socket* socket_;
  std::uint32_t sequence_ = 0;
  std::string reason_;
  std::vector<char> buffer_;
};

}  // namespace fibtrie::conformance
