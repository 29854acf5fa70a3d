/// The functions of libcurl that the files of this shim share.
#pragma once

#include <CLoading.h>
#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>

#define CCURL_FUNCTIONS(each) each(curl_easy_cleanup) each(curl_easy_getinfo) each(curl_easy_init) each(curl_easy_pause) \
  each(curl_easy_reset) each(curl_easy_setopt) each(curl_easy_strerror) each(curl_global_init) each(curl_multi_add_handle) \
  each(curl_multi_cleanup) each(curl_multi_info_read) each(curl_multi_init) each(curl_multi_perform) \
  each(curl_multi_poll) each(curl_multi_remove_handle) each(curl_multi_setopt) each(curl_slist_append) \
  each(curl_slist_free_all)

/// The functions of the library, NULL until it is open.
struct ccurl_functions {
  CCURL_FUNCTIONS(CLOADING_MEMBER)
};

#define library ccurl_library
extern struct ccurl_functions library;

/// Opens the library. Returns 1 if it can be used.
int ccurl_open(void);

/// Limits an option to https, or to http and https. Versions before 7.85 have the older option alone. Returns 1 if it was accepted.
int ccurl_limit_protocols(CURL *easy, CURLoption option, CURLoption older, int allows_http);
