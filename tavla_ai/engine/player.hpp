// The players of games: who chooses the plays, and what for.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "choosers.hpp"
#include "level.hpp"
#include "search.hpp"

namespace tavla {

struct RandomPlayer {};
struct NetworkPlayer {
  std::shared_ptr<const Network> network;
  std::shared_ptr<const Bearoff> tables;
  SearchSettings search;
  int ply = 0;
  Misjudgement misjudgement;
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

// Plays at 0-ply with a judgement that is off.
class MisjudgingChooser {
 public:
  MisjudgingChooser(const Network& network, const Bearoff* tables, const Misjudgement& misjudgement)
      : chooser_(network, tables), tables_(tables), misjudgement_(misjudgement) {}

  int choose(const Decision& decision) {
    const int best = chooser_.choose(decision);
    return misjudged(misjudgement_, decision, tables_, chooser_.values(), best);
  }

 private:
  NetworkChooser chooser_;
  const Bearoff* tables_;
  Misjudgement misjudgement_;
};

using Chooser = std::variant<RandomChooser, PubevalChooser, NetworkChooser, MisjudgingChooser, SearchChooser>;

// A chooser with buffers of its own, for one thread.
inline Chooser make_chooser(const Player& player) {
  if (const auto* pubeval = std::get_if<std::shared_ptr<const Pubeval>>(&player.kind)) return PubevalChooser(**pubeval);
  if (const auto* made = std::get_if<NetworkPlayer>(&player.kind)) {
    if (made->ply > 0) return SearchChooser(made->network, made->tables, made->search, made->ply, made->misjudgement);
    if (!made->misjudgement.is_none())
      return MisjudgingChooser(*made->network, made->tables.get(), made->misjudgement);
    return NetworkChooser(*made->network, made->tables.get());
  }
  return RandomChooser{};
}

}  // namespace tavla
