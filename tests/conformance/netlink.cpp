// SPDX-License-Identifier: MIT
// See netlink.hpp.
#include "tests/conformance/netlink.hpp"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace fibtrie::conformance {

netlink_message::netlink_message(std::uint16_t type, std::uint16_t flags) : storage_(capacity) {
  message_ = mnl_nlmsg_put_header(storage_.data());
  message_->nlmsg_type = type;
  message_->nlmsg_flags = NLM_F_REQUEST | flags;
}

void netlink_message::put_address(std::uint16_t type, std::uint32_t address) { put_u32(type, htonl(address)); }

netlink_socket::netlink_socket(int protocol, const std::vector<unsigned>& groups)
    : socket_(mnl_socket_open(protocol)), buffer_(netlink_message::capacity) {
  if (socket_ == nullptr) throw std::system_error(errno, std::generic_category(), "netlink socket");
  if (mnl_socket_bind(socket_, 0, MNL_SOCKET_AUTOPID) < 0) {
    throw std::system_error(errno, std::generic_category(), "netlink bind");
  }
  const int on = 1;
  mnl_socket_setsockopt(socket_, NETLINK_EXT_ACK, const_cast<int*>(&on), sizeof(on));
  const int bytes = 64 << 20;  // a flush tells of every route at once
  setsockopt(mnl_socket_get_fd(socket_), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
  for (const unsigned group : groups) {
    if (mnl_socket_setsockopt(socket_, NETLINK_ADD_MEMBERSHIP, const_cast<unsigned*>(&group), sizeof(group)) < 0) {
      throw std::system_error(errno, std::generic_category(), "netlink group");
    }
  }
}

netlink_socket::~netlink_socket() { mnl_socket_close(socket_); }

namespace {

std::string text_of_refusal(const nlmsghdr* message) {
  const auto* error = static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(message));
  if ((message->nlmsg_flags & NLM_F_ACK_TLVS) == 0) return {};
  std::size_t offset = sizeof(*error);
  if ((message->nlmsg_flags & NLM_F_CAPPED) == 0) offset += MNL_ALIGN(error->msg.nlmsg_len - MNL_NLMSG_HDRLEN);
  std::string text;
  for_each_attribute(*message, offset, [&](const nlattr* attr) {
    if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG) text = mnl_attr_get_str(attr);
  });
  return text;
}

}  // namespace

// Takes one message of an answer.  0 or an errno.
int netlink_socket::answer(const nlmsghdr* message, const visitor& visit, bool& done) {
  if (message->nlmsg_seq != sequence_) return 0;
  if (message->nlmsg_type == NLMSG_DONE) {
    done = true;
    return 0;
  }
  if (message->nlmsg_type == NLMSG_ERROR) {
    done = true;
    reason_ = text_of_refusal(message);
    return -static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(message))->error;
  }
  if (visit) visit(*message);
  done = (message->nlmsg_flags & NLM_F_MULTI) == 0 && visit;
  return 0;
}

int netlink_socket::request(netlink_message& message, const visitor& visit) {
  message.get()->nlmsg_seq = ++sequence_;
  reason_.clear();
  if (mnl_socket_sendto(socket_, message.get(), message.get()->nlmsg_len) < 0) return errno;
  int code = 0;
  for (bool done = false; !done;) {
    const auto got = mnl_socket_recvfrom(socket_, buffer_.data(), buffer_.size());
    if (got < 0) return errno;
    int left = static_cast<int>(got);
    for (auto* m = reinterpret_cast<nlmsghdr*>(buffer_.data()); !done && mnl_nlmsg_ok(m, left);
         m = mnl_nlmsg_next(m, &left)) {
      code = answer(m, visit, done);
    }
  }
  return code;
}

void netlink_socket::drain(const visitor& visit) {
  const int descriptor = mnl_socket_get_fd(socket_);
  for (;;) {
    const auto got = recv(descriptor, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return;
    if (got < 0) throw std::system_error(errno, std::generic_category(), "notifications");
    int left = static_cast<int>(got);
    for (auto* m = reinterpret_cast<nlmsghdr*>(buffer_.data()); mnl_nlmsg_ok(m, left); m = mnl_nlmsg_next(m, &left)) {
      visit(*m);
    }
  }
}

}  // namespace fibtrie::conformance
