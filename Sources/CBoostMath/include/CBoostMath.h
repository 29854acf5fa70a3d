/// Quantiles and tails of statistical distributions, from Boost.Math.
///
/// No function throws, allocates or keeps state, so any number of threads may call them at once.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the quantile of Student's t distribution: the x with P(X ≤ x) = `probability`.
///
/// Returns NaN unless 0 < `probability` < 1 and `degrees` > 0.
double cboostmath_student_quantile(double probability, double degrees);

/// Returns the quantile of the standard normal distribution. Returns NaN unless 0 < `probability` < 1.
double cboostmath_normal_quantile(double probability);

/// Returns the upper tail of Student's t distribution: P(X ≥ `value`). Returns NaN unless `degrees` > 0.
double cboostmath_student_tail(double value, double degrees);

/// Returns the regularized upper incomplete gamma function Q(`shape`, `value`).
///
/// Returns NaN unless `shape` > 0 and `value` ≥ 0.
double cboostmath_upper_gamma(double shape, double value);

/// Returns the upper tail of the binomial distribution: P(X ≥ `successes`) of `trials`.
///
/// Returns NaN unless `successes` ≤ `trials` and 0 ≤ `probability` ≤ 1.
double cboostmath_binomial_tail(uint64_t successes, uint64_t trials, double probability);

#ifdef __cplusplus
}
#endif
