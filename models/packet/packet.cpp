// SPDX-License-Identifier: Apache-2.0
#include "packet/packet.h"

#include <sys/mman.h>

#include <new>

#include "kernel/error.h"

namespace sluice {

PacketPool::PacketPool() {
  void* memory = mmap(nullptr, kCapacity * sizeof(Packet), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // A large fabric keeps tens of megabytes of descriptors in flight: spare it the small pages' TLB
  // misses. Where huge pages are not to be had, nothing changes.
  madvise(memory, kCapacity * sizeof(Packet), MADV_HUGEPAGE);
  base_ = static_cast<Packet*>(memory);
}

PacketPool::~PacketPool() { munmap(base_, kCapacity * sizeof(Packet)); }

PacketId PacketPool::grow() {
  SLUICE_CHECK(created_ < kCapacity, "more than {} packets in flight", kCapacity);
  const auto id = static_cast<PacketId>(created_++);
  new (&base_[id]) Packet{};
  ++live_;
  return id;
}

}  // namespace sluice
