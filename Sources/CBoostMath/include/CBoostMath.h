/// Quantiles of statistical distributions, from Boost.Math.
///
/// No function throws, allocates or keeps state, so any number of threads may call them at once.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the quantile of Student's t distribution: the x with P(X ≤ x) = `probability`.
///
/// Returns NaN unless 0 < `probability` < 1 and `degrees` > 0.
double cboostmath_student_quantile(double probability, double degrees);

/// Returns the quantile of the standard normal distribution. Returns NaN unless 0 < `probability` < 1.
double cboostmath_normal_quantile(double probability);

#ifdef __cplusplus
}
#endif
