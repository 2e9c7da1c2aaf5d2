// Whether players fit the rules of a game, checked before the core is called.
#pragma once

#include <memory>
#include <variant>

#include "bind/checks.hpp"
#include "games/player.hpp"
#include "rules/rules.hpp"

namespace tavla {

inline void require_plays(const Player& player, const Rules& rules) {
  if (const auto* made = std::get_if<NetworkPlayer>(&player.kind)) {
    require_fits(*made->network, rules);
    require_ply(rules, made->ply);
  }
  require(!std::holds_alternative<std::shared_ptr<const Pubeval>>(player.kind) || rules.facts().is_opposed_hit(),
          "player: pubeval plays opposed, hitting games only");
}

// The network that says how lucky rolls are.
inline const NetworkPlayer* luck_network_of(const Rules& rules, const Player& player) {
  require_plays(player, rules);
  const NetworkPlayer* network = std::get_if<NetworkPlayer>(&player.kind);
  require(network, "luck_network: a network expected");
  if (rules.facts().has_stages)
    throw RulesError("luck_network: a turn of Gul Bara is more than one roll; its luck is not known");
  return network;
}

}  // namespace tavla
