// Interrupt points and stack limits: who answers the flag, when it comes back, and after a fork.
#include "runtime/runtime.h"

#include <gtest/gtest.h>

#include <chrono>
#include <pthread.h>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

namespace {

using Clock = std::chrono::steady_clock;

int64_t milliseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

int host_polls = 0;
bool interrupted = false;
int32_t count_poll() {
  ++host_polls;
  return interrupted;
}

// What a compiled loop does, for at most `limit` ms; true if it was interrupted.
bool loop(int64_t limit) {
  auto start = Clock::now();
  while (milliseconds_since(start) < limit)
    if (nj_poll_flag && nj_poll())
      return true;
  return false;
}

class Interrupt : public testing::Test {
protected:
  void SetUp() override {
    nj_host.poll = count_poll;
    host_polls = 0;
    interrupted = false;
  }
  void TearDown() override {
    nj_host.poll = nullptr;
    nj_clear_error();
  }
};

TEST_F(Interrupt, MainThreadIsAskedEveryTick) {
  EXPECT_FALSE(loop(210));
  EXPECT_GE(host_polls, 5);
  EXPECT_LE(host_polls, 13);
}

TEST_F(Interrupt, InterruptLeavesTheLoopWithAHostError) {
  interrupted = true;
  auto start = Clock::now();
  EXPECT_TRUE(loop(2000));
  EXPECT_LT(milliseconds_since(start), 100);
  EXPECT_EQ(nj_pending_error()->kind, 3);
}

TEST_F(Interrupt, OtherThreadsLeaveTheFlagToTheMainThread) {
  bool stop = false;
  std::thread other([&] {
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
      if (nj_poll_flag)
        nj_poll();
  });
  nj_enter_long();
  loop(210);
  nj_leave_long();
  EXPECT_GE(host_polls, 5);
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  other.join();
}

TEST_F(Interrupt, WorksInTheChildOfAFork) {
  loop(30);
  pid_t child = fork();
  if (child == 0) {
    host_polls = 0;
    loop(210);
    _exit(host_polls >= 5 ? 0 : 1);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Stack, LimitLiesInTheStackOfTheThread) {
  char here;
  EXPECT_LT(nj_stack_limit(), &here);
  EXPECT_GT(&here - nj_stack_limit(), 64 * 1024);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 20);
  pthread_t thread;
  pthread_create(
      &thread, &attributes,
      [](void *) -> void * {
        char inside;
        int64_t room = &inside - nj_stack_limit();
        EXPECT_GT(room, 512 * 1024);
        EXPECT_LT(room, 1 << 20);
        return nullptr;
      },
      nullptr);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

} // namespace
