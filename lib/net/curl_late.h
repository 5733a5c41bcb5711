/* curl_late.h: libcurl, loaded when the first client opens: it brings some thirty libraries, and a tool
 * that asks nobody should start without them. The calls keep their names. Private to this room. */
#ifndef WAI_NET_CURL_LATE_H
#define WAI_NET_CURL_LATE_H

#include <curl/curl.h>

#include "base/error.h"

/* Each call of libcurl that this room makes: its result, its name, its parameters. */
#define CURL_LATE_CALLS(X)                                                             \
    X(CURLcode, global_init, (long flags))                                             \
    X(CURL *, easy_init, (void))                                                       \
    X(void, easy_cleanup, (CURL * easy))                                               \
    X(CURLcode, easy_setopt, (CURL * easy, CURLoption option, ...))                    \
    X(CURLcode, easy_getinfo, (CURL * easy, CURLINFO info, ...))                       \
    X(const char *, easy_strerror, (CURLcode code))                                    \
    X(time_t, getdate, (const char *text, const time_t *unused))                       \
    X(CURLM *, multi_init, (void))                                                     \
    X(CURLMcode, multi_cleanup, (CURLM * multi))                                       \
    X(CURLMcode, multi_add_handle, (CURLM * multi, CURL * easy))                       \
    X(CURLMcode, multi_remove_handle, (CURLM * multi, CURL * easy))                    \
    X(CURLMcode, multi_assign, (CURLM * multi, curl_socket_t socket, void *data))      \
    X(CURLMcode, multi_setopt, (CURLM * multi, CURLMoption option, ...))               \
    X(CURLMcode, multi_socket_action,                                                  \
      (CURLM * multi, curl_socket_t socket, int mask, int *running))                   \
    X(CURLMsg *, multi_info_read, (CURLM * multi, int *left))                          \
    X(struct curl_slist *, slist_append, (struct curl_slist * list, const char *text)) \
    X(void, slist_free_all, (struct curl_slist * list))

struct curl_late {
#define CURL_LATE_MEMBER(result, name, parameters) result(*name) parameters;
    CURL_LATE_CALLS(CURL_LATE_MEMBER)
#undef CURL_LATE_MEMBER
};

extern struct curl_late curl_late;

/* Loads and starts it, once in a process. 0, or ERROR_SYSTEM with what to install. */
int curl_late_open(struct error *error);

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#define curl_easy_init           curl_late.easy_init
#define curl_easy_cleanup        curl_late.easy_cleanup
#define curl_easy_setopt         curl_late.easy_setopt
#define curl_easy_getinfo        curl_late.easy_getinfo
#define curl_easy_strerror       curl_late.easy_strerror
#define curl_getdate             curl_late.getdate
#define curl_multi_init          curl_late.multi_init
#define curl_multi_cleanup       curl_late.multi_cleanup
#define curl_multi_add_handle    curl_late.multi_add_handle
#define curl_multi_remove_handle curl_late.multi_remove_handle
#define curl_multi_assign        curl_late.multi_assign
#define curl_multi_setopt        curl_late.multi_setopt
#define curl_multi_socket_action curl_late.multi_socket_action
#define curl_multi_info_read     curl_late.multi_info_read
#define curl_slist_append        curl_late.slist_append
#define curl_slist_free_all      curl_late.slist_free_all

#endif
