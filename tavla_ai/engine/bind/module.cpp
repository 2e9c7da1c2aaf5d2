// The engine's Python face.
#include "bind/module.hpp"

#include <exception>

#include "rules/rules.hpp"

namespace tavla {
namespace {

// An input that the rules forbid is a RulesetError in Python.
void translate_rules_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const RulesError& error) {
    const nanobind::object type = nanobind::module_::import_("tavla_ai.errors").attr("RulesetError");
    PyErr_SetString(type.ptr(), error.what());
  }
}

}  // namespace

NB_MODULE(_core, m) {
  // At the end of the process others, such as Ray, may still hold what is ours; that is no leak of ours to report.
  nanobind::set_leak_warnings(false);
  m.doc() = "Rules, dice, network and self-play of tavla-ai, in C++.";
  nanobind::register_exception_translator(&translate_rules_error);
  bind_dice(m);
  bind_rules(m);
  bind_plays(m);
  bind_network(m);
  bind_inputs(m);
  bind_player(m);
  bind_choosing(m);
  bind_self_play(m);
  bind_lookahead(m);
  bind_duel(m);
  bind_random_games(m);
  bind_bearoff(m);
  bind_cube(m);
  bind_search(m);
}

}  // namespace tavla
