// The players of games: who chooses the plays, and what for.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "search/baseline.hpp"
#include "search/misjudgement.hpp"
#include "search/network_chooser.hpp"
#include "search/pubeval.hpp"
#include "search/random.hpp"
#include "search/search.hpp"

namespace tavla {

struct RandomPlayer {};
struct BaselinePlayer {};
struct NetworkPlayer {
  std::shared_ptr<const Network> network;
  std::shared_ptr<const Bearoff> tables;
  SearchSettings search;
  int ply = 0;
  Misjudgement misjudgement;
};

// What a player makes of the stakes, where it is not all of them: a utility of its own in place of the contest's
// values, of what the network is told of them, or of both.
struct StakesView {
  std::optional<std::array<float, kMaxScores>> values;
  std::optional<std::array<float, kMaxScores>> inputs;

  Utility seen(const Utility& real) const {
    return {values.value_or(real.values), inputs.value_or(real.inputs)};
  }
};

struct Player {
  std::variant<RandomPlayer, BaselinePlayer, std::shared_ptr<const Pubeval>, NetworkPlayer> kind;
  StakesView stakes;
};

using Chooser =
    std::variant<RandomChooser, BaselineChooser, PubevalChooser, NetworkChooser, MisjudgingChooser, SearchChooser>;

// A chooser with buffers of its own, for one thread.
inline Chooser make_chooser(const Player& player) {
  if (const auto* pubeval = std::get_if<std::shared_ptr<const Pubeval>>(&player.kind)) return PubevalChooser(**pubeval);
  if (const auto* made = std::get_if<NetworkPlayer>(&player.kind)) {
    if (made->ply > 0) return SearchChooser(made->network, made->tables, made->search, made->ply, made->misjudgement);
    if (!made->misjudgement.is_none())
      return MisjudgingChooser(*made->network, made->tables.get(), made->misjudgement);
    return NetworkChooser(*made->network, made->tables.get());
  }
  if (std::holds_alternative<BaselinePlayer>(player.kind)) return BaselineChooser{};
  return RandomChooser{};
}

}  // namespace tavla
