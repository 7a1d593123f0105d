// SPDX-License-Identifier: MIT
// State of next hops when interfaces and addresses come and go.
//
// Thread safety: one writer; readers see flags and bounds change one by one.
// Source: section "Flush" of the kernel's behaviour.
#include "trie/route/multipath.hpp"
#include "trie/route/net.hpp"

namespace fibtrie::route {

namespace {

// relaxed (all): each flag stands for itself; a lookup beside a change may see either
void set_flags(std::atomic<std::uint8_t>& flags, std::uint8_t more) noexcept {
  flags.store(static_cast<std::uint8_t>(flags.load(std::memory_order_relaxed) | more), std::memory_order_relaxed);
}
void clear_flags(std::atomic<std::uint8_t>& flags, std::uint8_t less) noexcept {
  flags.store(static_cast<std::uint8_t>(flags.load(std::memory_order_relaxed) & ~less), std::memory_order_relaxed);
}
bool has_flags(const std::atomic<std::uint8_t>& flags, std::uint8_t some) noexcept {
  return (flags.load(std::memory_order_relaxed) & some) != 0;
}

bool uses(const fib_info& info, std::uint32_t index) noexcept {
  for (std::uint32_t i = 0; i < info.leg_count; ++i) {
    if (info.legs[i].device != nullptr && info.legs[i].oif == index) return true;
  }
  return false;
}

}  // namespace

// Legs through the interface go out of use: all of them with force, else not those of host routes.  True: a route has
// none left.
bool net::sync_down(std::uint32_t index, down_reason why, bool force) noexcept {
  const bool carrier = why == down_reason::carrier;
  const auto marks = static_cast<std::uint8_t>(nexthop_flag::linkdown | (carrier ? 0 : nexthop_flag::dead));
  bool died = false;
  for (fib_info* info = store_.infos().oldest(); info != nullptr; info = info->newer) {
    if (!uses(*info, index)) continue;
    std::uint32_t dead = 0;
    for (std::uint32_t i = 0; i < info->leg_count; ++i) {
      fib_leg& leg = info->legs[i];
      const bool here = leg.oif == index && leg.device != nullptr;
      if (leg.is_dead()) {
        ++dead;
      } else if (here && (force || leg.scope != scope::nowhere)) {
        set_flags(leg.flags, marks);
        tell_leg(fib_event::kind::nexthop_del, *info, leg);
        ++dead;
      }
      if (why == down_reason::unregistered && here) {  // one leg lost with its interface is enough
        dead = info->leg_count;
        break;
      }
    }
    if (dead == info->leg_count) {
      set_flags(info->flags, marks);
      died = true;
    }
    set_bounds(*info);
  }
  return died;
}

// Legs through an interface that is up lose these flags.
void net::sync_up(const device& dev, std::uint8_t flags) noexcept {
  if (!dev.spec.up) return;
  if ((flags & nexthop_flag::dead) != 0 && dev.has_carrier()) flags |= nexthop_flag::linkdown;
  for (fib_info* info = store_.infos().oldest(); info != nullptr; info = info->newer) {
    if (!uses(*info, dev.spec.index)) continue;
    std::uint32_t alive = 0;
    for (std::uint32_t i = 0; i < info->leg_count; ++i) {
      fib_leg& leg = info->legs[i];
      if (!has_flags(leg.flags, flags)) {
        ++alive;
      } else if (leg.device != nullptr && leg.oif == dev.spec.index) {
        ++alive;
        clear_flags(leg.flags, flags);
        tell_leg(fib_event::kind::nexthop_add, *info, leg);
      }
    }
    if (alive > 0) clear_flags(info->flags, flags);
    set_bounds(*info);
  }
}

// Routes of main with that preferred source die.
bool net::sync_down_source(key32 address) noexcept {
  bool died = false;
  for (fib_info* info = store_.infos().oldest(); info != nullptr; info = info->newer) {
    if (info->prefsrc != address || info->table != table_id::main) continue;
    set_flags(info->flags, nexthop_flag::dead);
    info->prefsrc_gone = true;
    died = true;
  }
  return died;
}

// Addresses have changed, and with them those that packets leave with.
void net::refresh_sources() noexcept {
  for (fib_info* info = store_.infos().oldest(); info != nullptr; info = info->newer) choose_sources(*info);
}

void net::tell_leg(fib_event::kind what, fib_info& info, const fib_leg& leg) noexcept {
  static_cast<void>(tell_event(what, {&info, 0}, {}, &leg));
}

}  // namespace fibtrie::route
