// SPDX-License-Identifier: Apache-2.0
// Data-parallel training of a perceptron: every rank its own batch, gradients averaged in buckets.
// Leaves out: data loading, mixed precision, sharded optimisers. Ends with an error unless the loss
// falls and all ranks end with the same weights.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "programs/mlp.h"
#include "programs/program_random.h"

namespace {

using sluice::programs::Matrix;
using sluice::programs::Mlp;

constexpr std::size_t kInputs = 512;
constexpr std::size_t kClasses = 16;
constexpr std::size_t kFirstBucketBytes = 1U << 20U;  // small, so that the first can leave early
constexpr std::size_t kBucketBytes = 16U << 20U;
constexpr std::uint64_t kSeed = 2024;

struct Options {
  int iterations = 10;
  std::size_t batch = 4;  ///< samples a rank and iteration
  float rate = 0.02F;
  bool overlap = true;  ///< reduce a bucket while the layers below are computed
};

/// Whole layers whose gradients travel together, [begin, end) of the parameter array.
struct Bucket {
  std::size_t first_layer =
      0;  ///< ready once this one is: backward runs from the last to the first
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// From the last layer down; a bucket is closed when it has reached its size.
std::vector<Bucket> make_buckets(const Mlp& model) {
  std::vector<Bucket> buckets;
  std::size_t end = model.offset(model.layers());
  for (std::size_t layer = model.layers(); layer-- > 0;) {
    const std::size_t bytes = (end - model.offset(layer)) * sizeof(float);
    const std::size_t wanted = buckets.empty() ? kFirstBucketBytes : kBucketBytes;
    if (bytes < wanted && layer > 0) continue;
    buckets.push_back({layer, model.offset(layer), end});
    end = model.offset(layer);
  }
  return buckets;
}

/// A sample is its class's centre and noise; classes come evenly.
void draw_batch(std::uint64_t first_sample, Matrix& inputs, std::vector<std::size_t>& labels) {
  for (std::size_t r = 0; r < inputs.rows; ++r) {
    const std::uint64_t sample = first_sample + r;
    labels[r] = static_cast<std::size_t>(sluice::programs::mixed(kSeed + 1, sample) % kClasses);
    for (std::size_t i = 0; i < inputs.cols; ++i)
      inputs.row(r)[i] = sluice::programs::normal(kSeed + 100 + labels[r], i) +
                         0.5F * sluice::programs::normal(kSeed + 2, sample * kInputs + i);
  }
}

class Trainer {
 public:
  explicit Trainer(const Options& options) : options_(options) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    // As a framework does it: rank 0's weights are the weights.
    MPI_Bcast(model_.parameters().data(), static_cast<int>(model_.parameters().size()), MPI_FLOAT,
              0, MPI_COMM_WORLD);
  }

  /// Mean loss over all ranks before this iteration's step.
  float iterate(int iteration) {
    Matrix inputs(options_.batch, kInputs);
    std::vector<std::size_t> labels(options_.batch);
    const auto index = static_cast<std::uint64_t>(iteration) * static_cast<std::uint64_t>(ranks_) +
                       static_cast<std::uint64_t>(rank_);
    draw_batch(index * options_.batch, inputs, labels);
    float loss = model_.forward(inputs, labels);
    std::vector<MPI_Request> requests;
    std::size_t next = 0;
    model_.backward([&](std::size_t layer) {
      if (next < buckets_.size() && buckets_[next].first_layer == layer)
        reduce(buckets_[next++], requests);
    });
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      if (options_.overlap) MPI_Wait(&requests[b], MPI_STATUS_IGNORE);
      model_.step(buckets_[b].begin, buckets_[b].end, options_.rate / static_cast<float>(ranks_));
    }
    MPI_Allreduce(MPI_IN_PLACE, &loss, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return loss / static_cast<float>(ranks_);
  }

  /// All ranks hold rank 0's weights to the last bit.
  bool same_weights() {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const float value : model_.parameters()) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      hash = (hash ^ bits) * 0x100000001b3U;
    }
    std::vector<std::uint64_t> hashes(static_cast<std::size_t>(ranks_));
    MPI_Allgather(&hash, 1, MPI_UINT64_T, hashes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    for (const std::uint64_t other : hashes)
      if (other != hashes.front()) return false;
    return true;
  }

  void describe() {
    if (rank_ != 0) return;
    std::printf("%zu parameters, %zu buckets:", model_.parameters().size(), buckets_.size());
    for (const Bucket& bucket : buckets_)
      std::printf(" %zu", (bucket.end - bucket.begin) * sizeof(float));
    std::printf(" bytes\n");
  }
  int rank() const { return rank_; }

 private:
  void reduce(const Bucket& bucket, std::vector<MPI_Request>& requests) {
    float* data = model_.gradients().data() + bucket.begin;
    const int count = static_cast<int>(bucket.end - bucket.begin);
    if (options_.overlap) {
      requests.emplace_back();
      MPI_Iallreduce(MPI_IN_PLACE, data, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                     &requests.back());
    } else {
      MPI_Allreduce(MPI_IN_PLACE, data, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }
  }

  Options options_;
  int rank_ = 0;
  int ranks_ = 1;
  Mlp model_{{kInputs, 2048, 2048, 1536, 1024, 512, kClasses}, kSeed};
  std::vector<Bucket> buckets_ = make_buckets(model_);
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--no-overlap") {
      options.overlap = false;
    } else if (word == "--iterations" && i + 1 < argc && std::atoi(argv[i + 1]) > 1) {
      options.iterations = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr, "train_dp: '%s' is not --iterations N (> 1) or --no-overlap\n", argv[i]);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  return options;
}

int train(const Options& options) {
  Trainer trainer(options);
  trainer.describe();
  float first = 0.0F;
  float last = 0.0F;
  for (int i = 0; i < options.iterations; ++i) {
    last = trainer.iterate(i);
    if (i == 0) first = last;
    if (trainer.rank() == 0) std::printf("iteration %d loss %.4f\n", i, static_cast<double>(last));
  }
  const bool same = trainer.same_weights();
  const bool learned = last < 0.7F * first;
  if (trainer.rank() == 0 && !same) std::fputs("train_dp: ranks differ in their weights\n", stderr);
  if (trainer.rank() == 0 && !learned) std::fputs("train_dp: the loss did not fall\n", stderr);
  return same && learned ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int result = train(parse(argc, argv));
  MPI_Finalize();
  return result;
}
