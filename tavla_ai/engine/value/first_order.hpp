// What a change of the board gains, to first order in the network.
#pragma once

#include <vector>

#include "rules/changes.hpp"
#include "value/network.hpp"

namespace tavla {

// By the gradient of a network's value at the board.
class NetworkGains final : public Gains {
 public:
  // gradient: Network::gradient at the board; lives as long as this.
  NetworkGains(const Network& network, const std::vector<float>& gradient) : network_(network), gradient_(gradient) {}

 private:
  void look_up(int side, int place, int first, int n, float* out) override {
    network_.project(gradient_.data(), side, place, first, n, out);
  }

  const Network& network_;
  const std::vector<float>& gradient_;
};

}  // namespace tavla
