#include "CPublicSuffix.h"

#include <CLoading.h>
#include <stddef.h>

// libpsl's interface, so that its headers are not needed for two functions.
typedef struct psl_ctx_st psl_ctx_t;
const psl_ctx_t *psl_builtin(void);
const char *psl_registrable_domain(const psl_ctx_t *list, const char *domain);

#define FUNCTIONS(each) each(psl_builtin) each(psl_registrable_domain)

const char *cpublicsuffix_registrable(const char *domain) {
  static struct {
    FUNCTIONS(CLOADING_MEMBER)
  } library;
  static const cloading_function functions[] = {FUNCTIONS(CLOADING_ENTRY)};
  if (cloading_open("libpsl.so.5", functions, sizeof functions / sizeof *functions) != NULL) return domain;
  const psl_ctx_t *list = library.psl_builtin();
  return list == NULL ? domain : library.psl_registrable_domain(list, domain);
}
