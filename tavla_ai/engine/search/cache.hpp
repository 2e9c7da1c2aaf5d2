// What searches have found, shared by their threads.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include "base/hash.hpp"
#include "rules/board.hpp"
#include "value/utility.hpp"

namespace tavla {

// Maps (afterstate, tag) to a distribution. An entry is what the search would find again, to the last bit, so a
// result does not depend on what is cached. Two entries a slot: a new one takes the place of the older.
class SearchCache {
 public:
  // num_entries is rounded up to a power of two.
  explicit SearchCache(std::size_t num_entries)
      : num_slots_(std::bit_ceil(std::max<std::size_t>(num_entries, 4) / 2)), slots_(new Slot[num_slots_]) {}

  // What besides the board decides a value: the ply, and what the player plays for.
  static std::uint64_t tag(int ply, const Utility& utility, int num_scores) {
    std::uint64_t hash = static_cast<std::uint64_t>(ply) + 1;
    for (int k = 0; k < num_scores; ++k) hash = mixed(hash ^ std::bit_cast<std::uint32_t>(utility.values[k]));
    for (int u = 0; u + 2 < num_scores; ++u) hash = mixed(hash ^ std::bit_cast<std::uint32_t>(utility.inputs[u]));
    return hash;
  }

  std::optional<Distribution> find(const Board& after, std::uint64_t tag) {
    const Packed key = pack(after);
    Slot& slot = slot_of(key, tag);
    const Guard guard(slot.lock);
    for (const Entry& entry : slot.entries)
      if (entry.tag == tag && entry.key == key) {
        hits_.fetch_add(1, std::memory_order_relaxed);
        return entry.distribution;
      }
    misses_.fetch_add(1, std::memory_order_relaxed);
    return std::nullopt;
  }

  void store(const Board& after, std::uint64_t tag, const Distribution& distribution) {
    const Packed key = pack(after);
    Slot& slot = slot_of(key, tag);
    const Guard guard(slot.lock);
    slot.entries[1] = slot.entries[0];
    slot.entries[0] = {key, tag, distribution};
  }

  std::int64_t hits() const { return hits_; }
  std::int64_t misses() const { return misses_; }

 private:
  // Four bits a count, both sides.
  using Packed = std::array<std::uint64_t, 7>;
  struct Entry {
    Packed key{};
    std::uint64_t tag = 0;  // never that of a value
    Distribution distribution{};
  };
  struct Slot {
    std::atomic_flag lock;
    std::array<Entry, 2> entries;
  };
  struct Guard {
    explicit Guard(std::atomic_flag& flag) : flag_(flag) {
      while (flag_.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~Guard() { flag_.clear(std::memory_order_release); }
    std::atomic_flag& flag_;
  };

  static Packed pack(const Board& board) {
    Packed key{};
    int place = 0;
    for (const auto& row : board.count)
      for (std::int8_t count : row) {
        key[place / 16] |= static_cast<std::uint64_t>(count) << (place % 16 * 4);
        ++place;
      }
    return key;
  }

  Slot& slot_of(const Packed& key, std::uint64_t tag) {
    std::uint64_t hash = tag;
    for (std::uint64_t word : key) hash = mixed(hash ^ word);
    return slots_[hash & (num_slots_ - 1)];
  }

  std::size_t num_slots_;
  std::unique_ptr<Slot[]> slots_;
  std::atomic<std::int64_t> hits_{0};
  std::atomic<std::int64_t> misses_{0};
};

}  // namespace tavla
