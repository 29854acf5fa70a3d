#include "CBoostMath.h"

#include <limits>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace {

using namespace boost::math::policies;

// Errors are returned as NaN or infinity: an exception must not reach Swift.
using quiet = policy<domain_error<ignore_error>, pole_error<ignore_error>, overflow_error<ignore_error>,
                     evaluation_error<ignore_error>, rounding_error<ignore_error>, promote_double<false>>;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool is_probability(double value) { return value > 0 && value < 1; }

}  // namespace

extern "C" double cboostmath_student_quantile(double probability, double degrees) {
  if (!is_probability(probability) || !(degrees > 0)) return not_a_number;
  return quantile(boost::math::students_t_distribution<double, quiet>(degrees), probability);
}

extern "C" double cboostmath_normal_quantile(double probability) {
  if (!is_probability(probability)) return not_a_number;
  return quantile(boost::math::normal_distribution<double, quiet>(0, 1), probability);
}

extern "C" double cboostmath_student_tail(double value, double degrees) {
  if (!(degrees > 0) || !(value == value)) return not_a_number;
  return cdf(complement(boost::math::students_t_distribution<double, quiet>(degrees), value));
}

extern "C" double cboostmath_upper_gamma(double shape, double value) {
  if (!(shape > 0) || !(value >= 0)) return not_a_number;
  return value <= std::numeric_limits<double>::max() ? boost::math::gamma_q(shape, value, quiet()) : 0;
}

extern "C" double cboostmath_binomial_tail(uint64_t successes, uint64_t trials, double probability) {
  if (successes > trials || !(probability >= 0 && probability <= 1)) return not_a_number;
  if (successes == 0) return 1;
  const boost::math::binomial_distribution<double, quiet> distribution(static_cast<double>(trials), probability);
  return cdf(complement(distribution, static_cast<double>(successes - 1)));
}
