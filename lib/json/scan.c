/* scan.c: the scanner's front: takes the fastest path that this processor has. */
#include "json/scan.h"

#include <stdlib.h>
#include <string.h>

#include "json/scan_path.h"

int json_scan(struct span text, struct json_value *value, struct json_members *members,
              struct json_fault *fault)
{
    if (!text.ptr)
        text.ptr = "";
    return scan_portable(text, value, members, fault);
}

bool scan_fast(struct span text, struct json_value *value, struct json_members *members)
{
    struct json_fault fault;
    return scan_portable(text, value, members, &fault) == 0;
}

const char *json_scan_path(void)
{
    return "portable";
}

int json_scan_use(const char *path)
{
    return strcmp(path, "portable") == 0 ? 0 : -1;
}

void json_members_free(struct json_members *members)
{
    free(members->items);
    *members = (struct json_members){0};
}
