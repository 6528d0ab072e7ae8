// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of RS(544,514) against models/link/fec: codewords back to back and with gaps,
// zeros and ones first, then random data; the check sees them clean, with one wrong symbol, with 15
// (corrected by the model) and with 16 or more.
#include <algorithm>
#include <deque>
#include <vector>

#include "rtl/rs_fec/rs_fec_twin.h"
#include "testbenches/cosim/harness/bench.h"

namespace sluice::cosim {
namespace {

using fec::Symbol;
using Codeword = std::vector<Symbol>;
using rtl::RsFecTwin;

Codeword encoded(Codeword data) {
  const auto parity = fec::parity(data);
  data.insert(data.end(), parity.begin(), parity.end());
  return data;
}

class Lockstep {
 public:
  explicit Lockstep(BenchRun& run) : run_(run), rtl_(run.rtl_options()) {
    run_.at_cycle(rtl_.cycle());
  }

  /// Encodes `data` and checks `word` at the same time, each with gaps of its own.
  void both(const Codeword& data, const Codeword& word, bool gaps) {
    run_.count_transaction();
    const Codeword code = encoded(data);
    const auto syndromes = fec::syndromes(word);
    std::size_t out = 0;
    std::size_t in = 0;
    for (std::size_t at = 0; out < code.size() || at < word.size();) {
      const bool send = in < data.size() && !(gaps && run_.random().below(4) == 0);
      const bool check = at < word.size() && !(gaps && run_.random().below(4) == 0);
      const auto r = rtl_.clock(word_at(data, send, in), word_at(word, check, at));
      run_.at_cycle(rtl_.cycle());
      run_.expect("enc_ready_o", send, r.taken);
      const bool out_due = send || (in == data.size() && out < code.size());
      run_.expect("enc_valid_o", out_due, r.code.has_value());
      if (send) in += RsFecTwin::kSymbols;
      if (r.code) {
        run_.expect("enc_data_o", code[out], (*r.code)[0]);
        run_.expect("enc_data_o second", code[out + 1], (*r.code)[1]);
        out += RsFecTwin::kSymbols;
        run_.expect("enc_last_o", out == code.size(), r.code_last);
      }
      if (check) at += RsFecTwin::kSymbols;
      run_.expect("chk_valid_o", check && at == word.size(), r.checked);
      if (r.checked) {
        for (std::size_t i = 0; i < syndromes.size(); ++i) {
          run_.expect("chk_syndromes_o", syndromes[i], r.syndromes[i]);
        }
        const bool error =
            std::any_of(syndromes.begin(), syndromes.end(), [](Symbol s) { return s != 0; });
        run_.expect("chk_error_o", error, r.error);
      }
    }
  }

 private:
  static std::optional<RsFecTwin::Word> word_at(const Codeword& from, bool valid, std::size_t at) {
    if (!valid) return std::nullopt;
    return RsFecTwin::Word{from[at], from[at + 1]};
  }

  BenchRun& run_;
  RsFecTwin rtl_;
};

Codeword random_data(RandomStream& random) {
  Codeword data(fec::kDataSymbols);
  for (Symbol& s : data) s = static_cast<Symbol>(random.below(1024));
  return data;
}

/// `errors` symbols wrong; up to 15 the model must find again.
Codeword damaged(BenchRun& run, const Codeword& code, std::size_t errors) {
  Codeword word = code;
  for (std::size_t done = 0; done < errors;) {
    const std::uint32_t at = run.random().below(fec::kCodeSymbols);
    if (word[at] != code[at]) continue;
    word[at] = static_cast<Symbol>(word[at] ^ (1 + run.random().below(1023)));
    ++done;
  }
  Codeword fixed = word;
  const bool good = fec::decode(fixed).good;
  if (errors <= fec::kCorrectable) run.expect("corrected", 1, good && fixed == code);
  return word;
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) run.bad_record("");
  Lockstep bench(run);
  // The generator times a constant is a codeword whose syndrome 0 alone goes wrong with its errors:
  // the codeword's polynomial divided by (x - 1) is 0 at all other roots.
  Codeword only_first(fec::kCodeSymbols);
  Symbol carry = 0;
  const auto g = fec::generator();
  for (std::size_t i = fec::kParitySymbols; i > 0; --i) {
    carry = static_cast<Symbol>(carry ^ g[i]);
    only_first[fec::kCodeSymbols - i] = carry;
  }
  bench.both(Codeword(fec::kDataSymbols), only_first, false);
  bench.both(Codeword(fec::kDataSymbols, 1023), encoded(Codeword(fec::kDataSymbols, 1)), false);
  for (const std::size_t errors : {0U, 1U, 15U, 16U}) {
    bench.both(random_data(run.random()), damaged(run, encoded(random_data(run.random())), errors),
               false);
  }
  constexpr std::uint32_t kMost[] = {1, 3, 17, 60};
  while (run.cycles_left() > 0) {
    const std::uint32_t errors = run.random().below(kMost[run.random().below(4)]);
    const Codeword word = damaged(run, encoded(random_data(run.random())), errors);
    bench.both(random_data(run.random()), word, run.random().below(2) == 0);
  }
}

}  // namespace

Bench rs_fec_bench() {
  return {"rs_fec",
          {"field polynomial x^10 + x^7 + 1", "takes a data word too many",
           "second symbol sees the remainder of the first", "parity sent from x^0 on",
           "remainder moves on in a gap", "syndromes start from the codeword before",
           "symbols of a word swapped in the check", "codeword a word short",
           "sum moves on in a gap", "error flag without syndrome 0"},
          run_all};
}

}  // namespace sluice::cosim
