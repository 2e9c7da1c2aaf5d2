// Work on several threads.
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tavla {

// Splits [0, count) into one contiguous part per thread and runs `work(part, begin, end)` on each.
template <class Work>
void run_threads(int threads, std::int64_t count, Work&& work) {
  if (threads <= 1) {
    work(0, std::int64_t{0}, count);
    return;
  }
  std::exception_ptr failure;
  std::mutex mutex;
  std::vector<std::thread> running;
  for (int part = 0; part < threads; ++part)
    running.emplace_back([&, part] {
      try {
        work(part, count * part / threads, count * (part + 1) / threads);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    });
  for (std::thread& thread : running) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tavla
