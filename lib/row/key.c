/* key.c: the one grouping rule of every tool (rows 1.1) and the identity of a row. */
#include "row/key.h"

#include "row/value.h"
#include "text/digest.h"
#include "json/pytext.h"

static const struct span TASK_KEY_NAMES[] = {
    {"scenario_id", 11},
    {"task_id", 7},
    {"prompt", 6},
};

const struct row_key_list ROW_TASK_KEYS = {TASK_KEY_NAMES, 3};

enum { IDENTITY_HEX = 16 }; /* characters of a hashed identity (rows 1.1) */

struct span row_key(const struct row *row, struct row_key_list keys, struct buf *scratch)
{
    for (size_t i = 0; i < keys.count; i++) {
        const struct json_value *value = row_get(row, keys.names[i]);
        if (value && json_truthy(*value))
            return value_text(*value, scratch);
    }
    buf_clear(scratch);
    return SPAN("");
}

struct span row_task_key(const struct row *row, struct buf *scratch)
{
    return row_key(row, ROW_TASK_KEYS, scratch);
}

static void add_text(const struct row *row, struct span key, struct buf *out)
{
    const struct json_value *value = row_get(row, key);
    if (value)
        json_pystr(*value, out);
}

void row_identity(const struct row *row, struct buf *out)
{
    const struct json_value *id = row_get(row, SPAN("rollout_id"));
    if (id && json_truthy(*id)) {
        json_pystr(*id, out);
        return;
    }
    const struct json_value *task = row_get_set(row, SPAN("scenario_id"));
    const struct json_value *index = row_get_set(row, SPAN("rollout_index"));
    if (task && index) {
        json_pystr(*task, out);
        buf_byte(out, '#');
        json_pystr(*index, out);
        return;
    }
    struct buf text = {0};
    add_text(row, SPAN("prompt"), &text);
    buf_byte(&text, 0x1f);
    add_text(row, SPAN("final_text"), &text);
    uint8_t digest[SHA1_BYTES];
    char hex[2 * SHA1_BYTES + 1];
    digest_sha1(buf_span(&text), digest);
    digest_hex(digest, SHA1_BYTES, hex);
    buf_add(out, hex, IDENTITY_HEX);
    buf_free(&text);
}

void row_short_hash(const struct span *parts, size_t count, char out[ROW_SHORT_HASH + 1])
{
    struct buf text = {0};
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_byte(&text, '|');
        buf_span_add(&text, parts[i]);
    }
    uint8_t digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    digest_sha256(buf_span(&text), digest);
    digest_hex(digest, SHA256_BYTES, hex);
    memcpy(out, hex, ROW_SHORT_HASH);
    out[ROW_SHORT_HASH] = '\0';
    buf_free(&text);
}

void row_task_id_of(struct span prompt, struct buf *out)
{
    char hash[ROW_SHORT_HASH + 1];
    row_short_hash(&prompt, 1, hash);
    buf_text(out, "task_");
    buf_text(out, hash);
}
