// The players of games: who chooses the plays, and what for.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "choosers.hpp"
#include "search.hpp"

namespace tavla {

struct RandomPlayer {};
struct NetworkPlayer {
  std::shared_ptr<const Network> network;
  std::shared_ptr<const Bearoff> tables;
  SearchSettings search;
  int ply = 0;
};

// What a player makes of the stakes, where it is not all of them: a utility of its own in place of the contest's
// values, of what the network is told of them, or of both.
struct Stakes {
  std::optional<std::array<float, kMaxScores>> values;
  std::optional<std::array<float, kMaxScores>> inputs;

  Utility seen(const Utility& real) const {
    return {values.value_or(real.values), inputs.value_or(real.inputs)};
  }
};

struct Player {
  std::variant<RandomPlayer, std::shared_ptr<const Pubeval>, NetworkPlayer> kind;
  Stakes stakes;
};

using Chooser = std::variant<RandomChooser, PubevalChooser, NetworkChooser, SearchChooser>;

// A chooser with buffers of its own, for one thread.
inline Chooser make_chooser(const Player& player) {
  if (const auto* pubeval = std::get_if<std::shared_ptr<const Pubeval>>(&player.kind)) return PubevalChooser(**pubeval);
  if (const auto* made = std::get_if<NetworkPlayer>(&player.kind)) {
    if (made->ply == 0) return NetworkChooser(*made->network, made->tables.get());
    return SearchChooser(made->network, made->tables, made->search, made->ply);
  }
  return RandomChooser{};
}

}  // namespace tavla
