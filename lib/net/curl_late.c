/* curl_late.c: see curl_late.h. */
#include "net/curl_late.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static const char LIBRARY[] = "libcurl.so.4"; /* its ABI since 2006 */

struct curl_late curl_late;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct error why;

static bool find(void *library, const char *name, void *call)
{
    void *found = dlsym(library, name);
    memcpy(call, &found,
           sizeof found); /* a function's address in a data pointer, as POSIX has it */
    if (!found)
        error_set(&why, ERROR_SYSTEM, "%s has no %s; install libcurl4 7.85 or later", LIBRARY,
                  name);
    return found != NULL;
}

static void load(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        error_set(&why, ERROR_SYSTEM, "%s; install libcurl4", dlerror());
        return;
    }
#define CURL_LATE_FIND(result, name, parameters)        \
    if (!find(library, "curl_" #name, &curl_late.name)) \
        return;
    CURL_LATE_CALLS(CURL_LATE_FIND)
#undef CURL_LATE_FIND
    if (curl_late.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        error_set(&why, ERROR_SYSTEM, "libcurl does not start; install libcurl4 anew");
}

int curl_late_open(struct error *error)
{
    pthread_once(&once, load);
    return why.code ? error_set(error, why.code, "%s", why.text) : 0;
}
