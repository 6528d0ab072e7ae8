// SPDX-License-Identifier: Apache-2.0
// Expert-parallel inference: top-2 gating over tokens of a skewed vocabulary, experts spread over
// ranks, dispatch and combine by MPI_Alltoallv. Leaves out: attention, capacity limits, expert
// replication. Ends with an error unless every token comes out as one rank alone would compute it.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "programs/program_random.h"

namespace {

using sluice::programs::normal;
using sluice::programs::uniform;

constexpr std::size_t kHidden = 384;
constexpr std::size_t kInner = 256;
constexpr std::size_t kLayers = 4;
constexpr std::size_t kExperts = 16;
constexpr std::size_t kTokens = 128;      ///< a rank and step
constexpr std::size_t kVocabulary = 512;  ///< Zipf's law: token k as often as 1/k
constexpr std::uint64_t kSeed = 7;

using Vector = std::vector<float>;

/// out[o] = sum of weights[o][i] * in[i].
void multiply(const Vector& weights, const float* in, std::size_t inputs, float* out,
              std::size_t outputs) {
  for (std::size_t o = 0; o < outputs; ++o) {
    const float* w = weights.data() + o * inputs;
    float sum = 0.0F;
    for (std::size_t i = 0; i < inputs; ++i) sum += w[i] * in[i];
    out[o] = sum;
  }
}

Vector random_weights(std::uint64_t key, std::size_t outputs, std::size_t inputs) {
  Vector result(outputs * inputs);
  const float scale = 1.0F / std::sqrt(static_cast<float>(inputs));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = scale * normal(key, i);
  return result;
}

/// Two-layer feed-forward network with ReLU.
class Expert {
 public:
  Expert(std::size_t layer, std::size_t number)
      : up_(random_weights(kSeed + 1000 * layer + 2 * number, kInner, kHidden)),
        down_(random_weights(kSeed + 1000 * layer + 2 * number + 1, kHidden, kInner)) {}

  void run(const float* token, float* out) const {
    Vector inner(kInner);
    multiply(up_, token, kHidden, inner.data(), kInner);
    for (float& value : inner) value = std::max(value, 0.0F);
    multiply(down_, inner.data(), kInner, out, kHidden);
  }

 private:
  Vector up_;
  Vector down_;
};

struct Choice {
  std::size_t expert[2];
  float weight[2];
};

/// Scores every expert and keeps the two best, weighted by the softmax of their scores.
class Gate {
 public:
  explicit Gate(std::size_t layer)
      : weights_(random_weights(kSeed + 500'000 + layer, kExperts, kHidden)) {}

  Choice choose(const float* token) const {
    float scores[kExperts];
    multiply(weights_, token, kHidden, scores, kExperts);
    std::size_t best = 0;
    for (std::size_t e = 1; e < kExperts; ++e)
      if (scores[e] > scores[best]) best = e;
    std::size_t second = best == 0 ? 1 : 0;
    for (std::size_t e = 0; e < kExperts; ++e)
      if (e != best && scores[e] > scores[second]) second = e;
    const float odds = std::exp(scores[second] - scores[best]);
    return {{best, second}, {1.0F / (1.0F + odds), odds / (1.0F + odds)}};
  }

 private:
  Vector weights_;
};

/// x += sum of weight * expert(x), then scaled to unit mean square so that depth does not blow it
/// up.
void combine(float* token, const Choice& choice, const float* first, const float* second) {
  float square = 0.0F;
  for (std::size_t i = 0; i < kHidden; ++i) {
    token[i] += choice.weight[0] * first[i] + choice.weight[1] * second[i];
    square += token[i] * token[i];
  }
  const float scale = 1.0F / std::sqrt(square / static_cast<float>(kHidden) + 1e-6F);
  for (std::size_t i = 0; i < kHidden; ++i) token[i] *= scale;
}

/// Tokens of one rank and step. Frequent words recur, so their experts are the busy ones.
Vector embed(std::uint64_t first_token) {
  std::vector<double> cumulative(kVocabulary);
  double total = 0.0;
  for (std::size_t k = 0; k < kVocabulary; ++k)
    cumulative[k] = total += 1.0 / static_cast<double>(k + 1);
  Vector result(kTokens * kHidden);
  for (std::size_t t = 0; t < kTokens; ++t) {
    const double draw = total * static_cast<double>(uniform(kSeed + 1, first_token + t));
    const auto word = static_cast<std::uint64_t>(
        std::upper_bound(cumulative.begin(), cumulative.end() - 1, draw) - cumulative.begin());
    for (std::size_t i = 0; i < kHidden; ++i)
      result[t * kHidden + i] = normal(kSeed + 10'000 + word, i) +
                                0.1F * normal(kSeed + 2, (first_token + t) * kHidden + i);
  }
  return result;
}

/// What travels to each rank and comes back: counts and offsets of floats, as Alltoallv takes them.
struct Plan {
  std::vector<int> counts;
  std::vector<int> offsets;
  explicit Plan(std::size_t ranks) : counts(ranks), offsets(ranks) {}
  std::size_t total() {
    int sum = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      offsets[r] = sum;
      sum += counts[r];
    }
    return static_cast<std::size_t>(sum);
  }
};

class Server {
 public:
  Server() {
    int number = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    rank_ = static_cast<std::size_t>(number);
    MPI_Comm_size(MPI_COMM_WORLD, &number);
    ranks_ = static_cast<std::size_t>(number);
    if (kExperts % ranks_ != 0) {
      std::fprintf(stderr, "moe_ep: %zu experts do not spread over %zu ranks\n", kExperts, ranks_);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    local_ = kExperts / ranks_;
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      gates_.emplace_back(layer);
      for (std::size_t e = 0; e < local_; ++e) experts_.emplace_back(layer, rank_ * local_ + e);
    }
  }

  std::uint64_t first_token(std::size_t step) const { return (step * ranks_ + rank_) * kTokens; }

  Vector infer(Vector tokens) const {
    for (std::size_t layer = 0; layer < kLayers; ++layer) run_layer(layer, tokens);
    return tokens;
  }

  /// The same without any other rank: all experts are made here.
  Vector infer_alone(Vector tokens) const {
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      std::vector<Expert> all;
      for (std::size_t e = 0; e < kExperts; ++e) all.emplace_back(layer, e);
      Vector first(kHidden);
      Vector second(kHidden);
      for (std::size_t t = 0; t < kTokens; ++t) {
        float* token = tokens.data() + t * kHidden;
        const Choice choice = gates_[layer].choose(token);
        all[choice.expert[0]].run(token, first.data());
        all[choice.expert[1]].run(token, second.data());
        combine(token, choice, first.data(), second.data());
      }
    }
    return tokens;
  }

  std::size_t rank() const { return rank_; }
  std::size_t ranks() const { return ranks_; }

 private:
  /// A token's vector followed by the number of its expert at the receiver.
  static constexpr std::size_t kRecord = kHidden + 1;

  void run_layer(std::size_t layer, Vector& tokens) const {
    std::vector<Choice> choices;
    Plan send(ranks_);
    for (std::size_t t = 0; t < kTokens; ++t) {
      choices.push_back(gates_[layer].choose(tokens.data() + t * kHidden));
      for (const std::size_t expert : choices.back().expert)
        send.counts[expert / local_] += static_cast<int>(kRecord);
    }
    Plan recv(ranks_);
    MPI_Alltoall(send.counts.data(), 1, MPI_INT, recv.counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
    Vector outgoing(send.total());
    const std::vector<std::size_t> places = pack(tokens, choices, send, outgoing);
    Vector incoming(recv.total());
    MPI_Alltoallv(outgoing.data(), send.counts.data(), send.offsets.data(), MPI_FLOAT,
                  incoming.data(), recv.counts.data(), recv.offsets.data(), MPI_FLOAT,
                  MPI_COMM_WORLD);
    run_experts(layer, incoming);
    MPI_Alltoallv(incoming.data(), recv.counts.data(), recv.offsets.data(), MPI_FLOAT,
                  outgoing.data(), send.counts.data(), send.offsets.data(), MPI_FLOAT,
                  MPI_COMM_WORLD);
    for (std::size_t t = 0; t < kTokens; ++t)
      combine(tokens.data() + t * kHidden, choices[t], outgoing.data() + places[2 * t],
              outgoing.data() + places[2 * t + 1]);
  }

  /// Where each token's two records lie in `outgoing`.
  std::vector<std::size_t> pack(const Vector& tokens, const std::vector<Choice>& choices,
                                const Plan& plan, Vector& outgoing) const {
    std::vector<std::size_t> next(plan.offsets.begin(), plan.offsets.end());
    std::vector<std::size_t> places;
    for (std::size_t t = 0; t < kTokens; ++t) {
      for (const std::size_t expert : choices[t].expert) {
        std::size_t& place = next[expert / local_];
        std::copy_n(tokens.data() + t * kHidden, kHidden, outgoing.data() + place);
        outgoing[place + kHidden] = static_cast<float>(expert % local_);
        places.push_back(place);
        place += kRecord;
      }
    }
    return places;
  }

  /// Replaces every record's token by what its expert makes of it.
  void run_experts(std::size_t layer, Vector& records) const {
    Vector out(kHidden);
    for (std::size_t at = 0; at < records.size(); at += kRecord) {
      const auto expert = static_cast<std::size_t>(records[at + kHidden]);
      experts_[layer * local_ + expert].run(records.data() + at, out.data());
      std::copy(out.begin(), out.end(), records.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  std::size_t rank_ = 0;
  std::size_t ranks_ = 1;
  std::size_t local_ = kExperts;  ///< experts a rank and layer
  std::vector<Gate> gates_;
  std::vector<Expert> experts_;
};

int serve(std::size_t steps) {
  const Server server;
  Vector last;
  for (std::size_t step = 0; step < steps; ++step)
    last = server.infer(embed(server.first_token(step)));
  const Vector alone = server.infer_alone(embed(server.first_token(steps - 1)));
  float worst = 0.0F;
  for (std::size_t i = 0; i < last.size(); ++i)
    worst = std::max(worst, std::fabs(last[i] - alone[i]));
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
  if (server.rank() == 0)
    std::printf("%zu steps of %zu tokens on %zu ranks, largest difference from one rank alone %g\n",
                steps, kTokens * server.ranks(), server.ranks(), static_cast<double>(worst));
  // Values are of size 1 and each is the same sums in the same order: only rounding may differ.
  if (worst <= 1e-4F) return 0;
  if (server.rank() == 0) std::fputs("moe_ep: the distributed result is wrong\n", stderr);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int steps = 4;
  if (argc == 3 && std::string(argv[1]) == "--steps") steps = std::atoi(argv[2]);
  if (argc != 1 && (argc != 3 || steps < 1)) {
    std::fputs("usage: moe_ep [--steps N], N > 0\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int result = serve(static_cast<std::size_t>(steps));
  MPI_Finalize();
  return result;
}
