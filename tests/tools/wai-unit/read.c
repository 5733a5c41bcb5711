/* read.c: members of a driver's line, see unit.h. */
#include <stdlib.h>

#include "unit.h"

int unit_get(struct json_value in, const char *key, struct json_value *out, struct error *error)
{
    if (!json_get(in, span_text(key), out))
        return error_set(error, ERROR_INPUT, "%s is missing", key);
    return 0;
}

int unit_real(struct json_value in, const char *key, double *out, struct error *error)
{
    struct json_value value;
    if (unit_get(in, key, &value, error) < 0)
        return ERROR_INPUT;
    if (value.type != JSON_VALUE_NUMBER)
        return error_set(error, ERROR_INPUT, "%s is no number", key);
    *out = json_number(value);
    return 0;
}

int unit_int(struct json_value in, const char *key, int64_t *out, struct error *error)
{
    struct json_value value;
    if (unit_get(in, key, &value, error) < 0)
        return ERROR_INPUT;
    if (!json_int64(value, out))
        return error_set(error, ERROR_INPUT, "%s is no integer of 64 bits", key);
    return 0;
}

int unit_text(struct json_value in, const char *key, struct buf *out, struct error *error)
{
    struct json_value value;
    if (unit_get(in, key, &value, error) < 0)
        return ERROR_INPUT;
    if (value.type != JSON_VALUE_STRING)
        return error_set(error, ERROR_INPUT, "%s is no text", key);
    json_text_add(value, out);
    return 0;
}

int unit_reals(struct json_value in, const char *key, double **out, size_t *n, struct error *error)
{
    struct json_value list, item;
    if (unit_get(in, key, &list, error) < 0)
        return ERROR_INPUT;
    if (list.type != JSON_VALUE_ARRAY)
        return error_set(error, ERROR_INPUT, "%s is no list", key);
    double *values = mem_zero(json_count(list), sizeof *values);
    struct json_cursor cursor = json_enter(list);
    for (*n = 0; json_next_item(&cursor, &item); ++*n) {
        if (item.type != JSON_VALUE_NUMBER) {
            free(values);
            return error_set(error, ERROR_INPUT, "%s[%zu] is no number", key, *n);
        }
        values[*n] = json_number(item);
    }
    *out = values;
    return 0;
}

int unit_which(struct json_value in, const char *const *names, size_t n, struct error *error)
{
    struct buf name = {0};
    int which = unit_text(in, "f", &name, error);
    for (size_t i = 0; which == 0 && i < n; i++) {
        if (span_is(buf_span(&name), names[i])) {
            buf_free(&name);
            return (int)i;
        }
    }
    if (which == 0)
        which = error_set(error, ERROR_INPUT, "f is \"%s\", which is no function of this family",
                          buf_cstr(&name));
    buf_free(&name);
    return which;
}
