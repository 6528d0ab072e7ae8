// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/process_pool.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr int kCannotStart = 126;

/// In the child, after fork(): calls that are safe there, then the program. Never returns.
[[noreturn]] void become(char* const* words, const char* errors, int parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kCannotStart);  // it has died before the line above
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int log = ::open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (null < 0 || log < 0) ::_exit(kCannotStart);
  if (::dup2(null, STDIN_FILENO) < 0 || ::dup2(null, STDOUT_FILENO) < 0 ||
      ::dup2(log, STDERR_FILENO) < 0) {
    ::_exit(kCannotStart);
  }
  ::execv(words[0], words);
  ::_exit(kCannotStart);
}

}  // namespace

ProcessPool::~ProcessPool() {
  for (const auto& [pid, task] : running_) ::kill(pid, SIGKILL);
  for (const auto& [pid, task] : running_) ::waitpid(pid, nullptr, 0);
}

void ProcessPool::start(std::size_t task, const std::vector<std::string>& words,
                        const std::filesystem::path& errors) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  // execv() takes them as mutable and does not change them.
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::string log = errors.string();
  const int parent = ::getpid();
  const int pid = ::fork();
  if (pid == 0) become(arguments.data(), log.c_str(), parent);
  if (pid < 0) {
    throw Error(ExitCode::kInternal, fmt::format("cannot start a run: {}", std::strerror(errno)));
  }
  running_.emplace(pid, task);
}

ProcessPool::Ended ProcessPool::wait() {
  SLUICE_CHECK(!running_.empty(), "nothing to wait for");
  while (true) {
    int status = 0;
    const int pid = ::waitpid(-1, &status, 0);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) {
      throw Error(ExitCode::kInternal, fmt::format("waitpid: {}", std::strerror(errno)));
    }
    const auto at = running_.find(pid);
    if (at == running_.end()) continue;  // not ours
    Ended ended;
    ended.task = at->second;
    if (WIFSIGNALED(status)) {
      ended.signal = WTERMSIG(status);
      ended.exit_code = static_cast<int>(ExitCode::kInternal);
    } else {
      ended.exit_code = WEXITSTATUS(status);
    }
    running_.erase(at);
    if (ended.exit_code == kCannotStart) {
      throw Error(ExitCode::kInternal,
                  "cannot start a run: the program or its log cannot be opened");
    }
    return ended;
  }
}

}  // namespace sluice
