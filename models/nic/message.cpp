// SPDX-License-Identifier: Apache-2.0
#include "nic/message.h"

#include "kernel/error.h"

namespace sluice {

MessageId MessagePool::grow() {
  SLUICE_CHECK(messages_.size() < kNoMessage, "more than 2^32 messages outstanding");
  if (messages_.size() == messages_.capacity()) ++allocations_;
  messages_.emplace_back();
  details_.emplace_back();
  ++live_;
  return static_cast<MessageId>(messages_.size() - 1);
}

}  // namespace sluice
