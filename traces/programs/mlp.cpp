// SPDX-License-Identifier: Apache-2.0
// Forward and backward passes of the perceptron. A layer is y = relu(W x + b), W stored by outputs.
// Leaves out: communication.
#include "programs/mlp.h"

#include <algorithm>
#include <cmath>

#include "programs/program_random.h"

namespace sluice::programs {

Mlp::Mlp(std::vector<std::size_t> widths, std::uint64_t seed) : widths_(std::move(widths)) {
  std::size_t total = 0;
  for (std::size_t l = 0; l < layers(); ++l) {
    offsets_.push_back(total);
    total += (inputs(l) + 1) * outputs(l);
  }
  offsets_.push_back(total);
  parameters_.resize(total);
  gradients_.resize(total);
  for (std::size_t l = 0; l < layers(); ++l) {
    const float scale = std::sqrt(2.0F / static_cast<float>(inputs(l)));  // He et al. 2015
    for (std::size_t i = 0; i < inputs(l) * outputs(l); ++i)
      parameters_[offsets_[l] + i] = scale * normal(seed + l, i);
  }
  activations_.resize(widths_.size());
}

void Mlp::forward_layer(std::size_t layer) {
  const Matrix& in = activations_[layer];
  Matrix& out = activations_[layer + 1];
  out = Matrix(in.rows, outputs(layer));
  const float* weights = parameters_.data() + offsets_[layer];
  const float* biases = weights + inputs(layer) * outputs(layer);
  const bool last = layer + 1 == layers();
  for (std::size_t o = 0; o < out.cols; ++o) {
    const float* w = weights + o * in.cols;
    for (std::size_t r = 0; r < in.rows; ++r) {
      const float* x = in.row(r);
      float sum = biases[o];
      for (std::size_t i = 0; i < in.cols; ++i) sum += w[i] * x[i];
      out.row(r)[o] = last ? sum : std::max(sum, 0.0F);
    }
  }
}

float Mlp::forward(const Matrix& batch, const std::vector<std::size_t>& labels) {
  activations_[0] = batch;
  for (std::size_t l = 0; l < layers(); ++l) forward_layer(l);
  const Matrix& scores = activations_.back();
  delta_ = Matrix(scores.rows, scores.cols);
  const float share = 1.0F / static_cast<float>(scores.rows);
  float loss = 0.0F;
  for (std::size_t r = 0; r < scores.rows; ++r) {
    const float* s = scores.row(r);
    const float top = *std::max_element(s, s + scores.cols);
    float sum = 0.0F;
    for (std::size_t c = 0; c < scores.cols; ++c) sum += std::exp(s[c] - top);
    for (std::size_t c = 0; c < scores.cols; ++c)
      delta_.row(r)[c] = share * (std::exp(s[c] - top) / sum - (c == labels[r] ? 1.0F : 0.0F));
    loss += share * (std::log(sum) - (s[labels[r]] - top));
  }
  return loss;
}

void Mlp::backward_layer(std::size_t layer) {
  const Matrix& in = activations_[layer];
  const float* weights = parameters_.data() + offsets_[layer];
  float* weight_gradients = gradients_.data() + offsets_[layer];
  float* bias_gradients = weight_gradients + inputs(layer) * outputs(layer);
  Matrix below(in.rows, in.cols);
  for (std::size_t o = 0; o < delta_.cols; ++o) {
    float* g = weight_gradients + o * in.cols;
    std::fill(g, g + in.cols, 0.0F);
    bias_gradients[o] = 0.0F;
    const float* w = weights + o * in.cols;
    for (std::size_t r = 0; r < in.rows; ++r) {
      const float d = delta_.row(r)[o];
      const float* x = in.row(r);
      float* b = below.row(r);
      bias_gradients[o] += d;
      for (std::size_t i = 0; i < in.cols; ++i) {
        g[i] += d * x[i];
        b[i] += d * w[i];
      }
    }
  }
  for (std::size_t i = 0; i < below.values.size(); ++i)  // ReLU passes what was positive
    if (layer > 0 && in.values[i] <= 0.0F) below.values[i] = 0.0F;
  delta_ = std::move(below);
}

void Mlp::backward(const std::function<void(std::size_t)>& ready) {
  for (std::size_t l = layers(); l-- > 0;) {
    backward_layer(l);
    ready(l);
  }
}

void Mlp::step(std::size_t begin, std::size_t end, float rate) {
  for (std::size_t i = begin; i < end; ++i) parameters_[i] -= rate * gradients_[i];
}

}  // namespace sluice::programs
