// SPDX-License-Identifier: Apache-2.0
// A multi-layer perceptron with ReLU and softmax cross-entropy: forward, backward, SGD, in plain
// loops. Leaves out: communication, and any speed beyond what the compiler's vectoriser gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace sluice::programs {

/// Rows of floats, one after the other.
struct Matrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<float> values;

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), cols(c), values(r * c) {}
  float* row(std::size_t r) { return values.data() + r * cols; }
  const float* row(std::size_t r) const { return values.data() + r * cols; }
};

/// Weights of all layers lie in one array, and so do their gradients: buckets are slices of it.
class Mlp {
 public:
  /// `widths`: inputs, hidden layers, classes. The same weights for the same seed.
  Mlp(std::vector<std::size_t> widths, std::uint64_t seed);

  std::size_t layers() const { return widths_.size() - 1; }
  /// Where the parameters of a layer (weights, then biases) begin; `layers()` gives the end.
  std::size_t offset(std::size_t layer) const { return offsets_[layer]; }
  std::vector<float>& parameters() { return parameters_; }
  std::vector<float>& gradients() { return gradients_; }

  /// Mean loss of the batch. `labels[i]` is the class of row i.
  float forward(const Matrix& inputs, const std::vector<std::size_t>& labels);
  /// Gradients of the mean loss, last layer first; `ready(layer)` when those of a layer are final.
  void backward(const std::function<void(std::size_t)>& ready);
  /// parameters -= rate * gradients over a slice.
  void step(std::size_t begin, std::size_t end, float rate);

 private:
  std::size_t inputs(std::size_t layer) const { return widths_[layer]; }
  std::size_t outputs(std::size_t layer) const { return widths_[layer + 1]; }
  void forward_layer(std::size_t layer);
  void backward_layer(std::size_t layer);

  std::vector<std::size_t> widths_;
  std::vector<std::size_t> offsets_;
  std::vector<float> parameters_;
  std::vector<float> gradients_;
  std::vector<Matrix> activations_;  ///< [0] is the batch, [l + 1] what layer l made of it
  Matrix delta_;                     ///< gradient of the loss by the outputs of the layer at hand
};

}  // namespace sluice::programs
