/* facts.c: one pass over a row's members. Each name that any measurement reads has a slot; a member
 * finds its slot by a small hash, the last member of a name wins, and the readers then look at
 * slots. */
#include "measure/facts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "text/digest.h"
#include "text/fold.h"
#include "text/reasoning.h"
#include "json/pytext.h"

const char *const SETTING_NAMES[SETTINGS] = {
    "temperature", "max_tokens", "policy_version", "judge_version",
    "prompt_hash", "user_model", "writer_model",
};

static const char *const TASK_KEYS[] = {"scenario_id", "task_id", "prompt"};
static const char *const REWARD_KEYS[] = {"reward", "qwen_reward"};

/* The names that every run looks for. */
enum {
    SLOT_SAMPLING,
    SLOT_POLICY_VERSION,
    SLOT_JUDGE_META,
    SLOT_LINEAGE,
    SLOT_USER_MODEL,
    SLOT_WRITER_MODEL,
    SLOT_FINISH_REASON,
    SLOT_FINAL_TEXT,
    SLOT_MESSAGES,
    SLOT_JUDGE_STATUS,
    SLOT_REASON,
    SLOT_MARKERS,
    SLOT_PARTIAL,
    SLOT_REPORT,
    SLOTS_FIXED,
};
static const char *const SLOT_NAMES[SLOTS_FIXED] = {
    [SLOT_SAMPLING] = "sampling",
    [SLOT_POLICY_VERSION] = "policy_version",
    [SLOT_JUDGE_META] = "judge_meta",
    [SLOT_LINEAGE] = "lineage",
    [SLOT_USER_MODEL] = "user_model",
    [SLOT_WRITER_MODEL] = "writer_model",
    [SLOT_FINISH_REASON] = "finish_reason",
    [SLOT_FINAL_TEXT] = "final_text",
    [SLOT_MESSAGES] = "messages",
    [SLOT_JUDGE_STATUS] = "judge_status",
    [SLOT_REASON] = "reason",
    [SLOT_MARKERS] = "markers",
    [SLOT_PARTIAL] = "wai_partial",
    [SLOT_REPORT] = "wai_report",
};

enum { BUCKETS = 64, NO_SLOT = -1 };

struct key_list {
    char **names; /* owned */
    size_t *slots;
    size_t count;
};

struct facts_reader {
    struct span *names; /* by slot; owned texts */
    int *next;          /* by slot: further slot of the bucket */
    const struct json_value **values;
    size_t n_slots, cap_names, cap_next, cap_values;
    int buckets[BUCKETS];
    struct key_list task, reward;
    const struct json_value **rewards; /* scratch, a value per reward key */
    size_t by;                         /* slot, when has_by */
    size_t cluster;                    /* slot, when has_cluster */
    bool has_by, has_cluster, bool_rewards, hash_keys;
    char task_name[DIGEST_NAME + 1];
    struct buf task_text, slice_text, cluster_text, reply_text, spoken;
};

static size_t bucket_of(struct span name)
{
    unsigned first = name.len ? (unsigned char)name.ptr[0] : 0;
    unsigned last = name.len ? (unsigned char)name.ptr[name.len - 1] : 0;
    return (name.len * 5 + first + last * 3) % BUCKETS;
}

static int find_slot(const struct facts_reader *r, struct span name)
{
    int slot = r->buckets[bucket_of(name)];
    while (slot != NO_SLOT && !span_equal(r->names[slot], name))
        slot = r->next[slot];
    return slot;
}

static size_t add_slot(struct facts_reader *r, const char *name)
{
    int known = find_slot(r, span_text(name));
    if (known != NO_SLOT)
        return (size_t)known;
    size_t slot = r->n_slots++;
    r->names = mem_grow(r->names, &r->cap_names, r->n_slots, sizeof *r->names);
    r->next = mem_grow(r->next, &r->cap_next, r->n_slots, sizeof *r->next);
    r->values = mem_grow(r->values, &r->cap_values, r->n_slots, sizeof *r->values);
    r->names[slot] = span_text(mem_text(name));
    size_t bucket = bucket_of(r->names[slot]);
    r->next[slot] = r->buckets[bucket];
    r->buckets[bucket] = (int)slot;
    return slot;
}

static void add_keys(struct facts_reader *r, struct key_list *list, const char *const *names,
                     size_t count)
{
    list->count = count;
    list->names = mem_zero(count, sizeof *list->names);
    list->slots = mem_zero(count, sizeof *list->slots);
    for (size_t i = 0; i < count; i++) {
        list->names[i] = mem_text(names[i]);
        list->slots[i] = add_slot(r, names[i]);
    }
}

struct facts_reader *facts_open(const struct facts_options *options)
{
    struct facts_reader *r = mem_zero(1, sizeof *r);
    for (size_t i = 0; i < BUCKETS; i++)
        r->buckets[i] = NO_SLOT;
    for (size_t i = 0; i < SLOTS_FIXED; i++)
        add_slot(r, SLOT_NAMES[i]);
    if (options->task_keys)
        add_keys(r, &r->task, options->task_keys, options->n_task_keys);
    else
        add_keys(r, &r->task, TASK_KEYS, sizeof TASK_KEYS / sizeof *TASK_KEYS);
    if (options->reward_keys)
        add_keys(r, &r->reward, options->reward_keys, options->n_reward_keys);
    else
        add_keys(r, &r->reward, REWARD_KEYS, sizeof REWARD_KEYS / sizeof *REWARD_KEYS);
    r->rewards = mem_zero(r->reward.count, sizeof *r->rewards);
    r->bool_rewards = options->bool_rewards;
    r->has_by = options->by != NULL;
    if (options->by)
        r->by = add_slot(r, options->by);
    r->hash_keys = options->hash_keys;
    r->has_cluster = options->cluster != NULL;
    if (options->cluster)
        r->cluster = add_slot(r, options->cluster);
    return r;
}

static void free_keys(struct key_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    free(list->slots);
}

void facts_close(struct facts_reader *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->n_slots; i++)
        free((char *)r->names[i].ptr);
    free(r->names);
    free(r->next);
    free(r->values);
    free(r->rewards);
    free_keys(&r->task);
    free_keys(&r->reward);
    buf_free(&r->task_text);
    buf_free(&r->slice_text);
    buf_free(&r->cluster_text);
    buf_free(&r->reply_text);
    buf_free(&r->spoken);
    free(r);
}

struct facts_keys facts_task_keys(const struct facts_reader *r)
{
    return (struct facts_keys){(const char *const *)r->task.names, r->task.count};
}

struct facts_keys facts_reward_keys(const struct facts_reader *r)
{
    return (struct facts_keys){(const char *const *)r->reward.names, r->reward.count};
}

/* ---- one row ------------------------------------------------------------------------------------
 */

static void fill_slots(struct facts_reader *r, const struct row *row)
{
    for (size_t i = 0; i < r->n_slots; i++)
        r->values[i] = NULL;
    struct buf scratch = {0};
    for (size_t i = 0; i < row->members.count; i++) {
        const struct json_member *member = &row->members.items[i];
        int slot = find_slot(r, member->key_escaped ? json_key(member, &scratch) : member->key);
        if (slot != NO_SLOT)
            r->values[slot] = &member->value;
    }
    buf_free(&scratch);
}

/* The value of a slot when it is of that type, or NULL. */
static const struct json_value *typed(const struct facts_reader *r, size_t slot,
                                      enum json_type type)
{
    const struct json_value *value = r->values[slot];
    return value && value->type == type ? value : NULL;
}

static const struct json_value *truthy(const struct facts_reader *r, size_t slot)
{
    const struct json_value *value = r->values[slot];
    return value && json_truthy(*value) ? value : NULL;
}

static struct span read_task(struct facts_reader *r)
{
    for (size_t i = 0; i < r->task.count; i++) {
        const struct json_value *value = truthy(r, r->task.slots[i]);
        if (value)
            return value_text(*value, &r->task_text);
    }
    return SPAN("");
}

static void set(struct setting_fact *fact, enum setting_form form, struct json_value value)
{
    fact->form = form;
    fact->value = value;
}

static void read_lineage(const struct facts_reader *r, struct setting_fact *settings)
{
    const struct json_value *lineage = typed(r, SLOT_LINEAGE, JSON_VALUE_OBJECT);
    if (!lineage)
        return;
    struct json_value value;
    if (settings[SETTING_JUDGE_VERSION].form == SETTING_ABSENT &&
        json_get(*lineage, SPAN("judge_version"), &value) && json_truthy(value))
        set(&settings[SETTING_JUDGE_VERSION], SETTING_AS_IS, value);
    if (json_get(*lineage, SPAN("system_prompt_sha"), &value) && json_truthy(value))
        set(&settings[SETTING_PROMPT_HASH], SETTING_AS_IS, value);
}

static void read_sampling(const struct facts_reader *r, struct setting_fact *settings)
{
    const struct json_value *sampling = typed(r, SLOT_SAMPLING, JSON_VALUE_OBJECT);
    if (!sampling)
        return;
    struct json_value value;
    if (json_get(*sampling, SPAN("temperature"), &value) && !json_value_null(value))
        set(&settings[SETTING_TEMPERATURE], SETTING_AS_IS, value);
    if (json_get(*sampling, SPAN("max_tokens"), &value) && !json_value_null(value))
        set(&settings[SETTING_MAX_TOKENS], SETTING_AS_IS, value);
}

static bool is_pinned(struct json_value value)
{
    struct buf scratch = {0};
    bool pinned = value.type == JSON_VALUE_STRING && span_is(json_text(value, &scratch), "pinned");
    buf_free(&scratch);
    return pinned;
}

static void read_settings(struct facts_reader *r, struct setting_fact *settings)
{
    for (size_t i = 0; i < SETTINGS; i++)
        settings[i].form = SETTING_ABSENT;
    read_sampling(r, settings);
    struct json_value value;
    const struct json_value *meta = typed(r, SLOT_JUDGE_META, JSON_VALUE_OBJECT);
    if (meta && json_get(*meta, SPAN("version"), &value) && json_truthy(value))
        set(&settings[SETTING_JUDGE_VERSION], SETTING_AS_IS, value);
    const struct json_value *policy = truthy(r, SLOT_POLICY_VERSION);
    if (policy) {
        set(&settings[SETTING_POLICY_VERSION], SETTING_AS_TEXT, *policy);
        if (memchr(policy->text.ptr, '@', policy->text.len) || policy->flags & JSON_FLAG_ESCAPED)
            set(&settings[SETTING_PROMPT_HASH], SETTING_SUFFIX, *policy);
    }
    read_lineage(r, settings);
    const struct json_value *user = truthy(r, SLOT_USER_MODEL);
    if (user)
        set(&settings[SETTING_USER_MODEL], SETTING_AS_TEXT, *user);
    const struct json_value *writer = truthy(r, SLOT_WRITER_MODEL);
    if (writer && !is_pinned(*writer))
        set(&settings[SETTING_WRITER_MODEL], SETTING_AS_TEXT, *writer);
}

/* A text that begins with a visible ASCII character and holds no tag, told from its raw bytes: the
 * common long reply, which need not be decoded. */
static bool plainly_spoken(struct json_value string)
{
    struct span raw = span_slice(string.text, 1, string.text.len - 1);
    unsigned char first = raw.len ? (unsigned char)raw.ptr[0] : 0;
    if (first <= ' ' || first == '\\' || first >= 0x7f || memchr(raw.ptr, '<', raw.len))
        return false;
    return !(string.flags & JSON_FLAG_ESCAPED) || !span_has(raw, SPAN("\\u003"));
}

/* The last assistant message with words in it; false when there is none. */
static bool last_said(struct facts_reader *r, const struct json_value *messages,
                      struct json_value *content)
{
    struct json_cursor cursor = json_enter(*messages);
    struct json_value message, role, text;
    bool found = false;
    while (json_next_item(&cursor, &message)) {
        if (message.type != JSON_VALUE_OBJECT || !json_get(message, SPAN("role"), &role) ||
            role.type != JSON_VALUE_STRING || !span_is(json_text(role, &r->spoken), "assistant"))
            continue;
        if (json_get(message, SPAN("content"), &text) && text.type == JSON_VALUE_STRING &&
            (plainly_spoken(text) || !text_blank(json_text(text, &r->reply_text)))) {
            *content = text;
            found = true;
        }
    }
    return found;
}

static void read_reply(struct facts_reader *r, struct row_facts *facts)
{
    const struct json_value *final = typed(r, SLOT_FINAL_TEXT, JSON_VALUE_STRING);
    const struct json_value *messages = typed(r, SLOT_MESSAGES, JSON_VALUE_ARRAY);
    facts->has_reply = final || messages;
    facts->answered = facts->unclosed = false;
    if (!facts->has_reply)
        return;
    struct json_value reply;
    if (final && (plainly_spoken(*final) || !text_blank(json_text(*final, &r->reply_text))))
        reply = *final;
    else if (!messages || !last_said(r, messages, &reply))
        return; /* an empty reply */
    if (plainly_spoken(reply)) {
        facts->answered = true;
        return;
    }
    struct text_reasoning said = text_split_reasoning(json_text(reply, &r->reply_text), &r->spoken);
    facts->unclosed = said.unclosed;
    facts->answered = !text_blank(said.spoken);
}

static void read_slice(struct facts_reader *r, struct row_facts *facts)
{
    facts->has_slice = false;
    if (!r->has_by)
        return;
    const struct json_value *value = r->values[r->by];
    struct json_value marker;
    if ((!value || json_value_null(*value)) && facts->markers &&
        json_get(*facts->markers, r->names[r->by], &marker))
        value = &marker;
    if (!value || json_value_null(*value))
        return;
    facts->slice = value_text(*value, &r->slice_text);
    facts->has_slice = facts->slice.len > 0;
}

void facts_read(struct facts_reader *r, const struct row *row, struct row_facts *facts)
{
    fill_slots(r, row);
    facts->task = read_task(r);
    if (r->hash_keys) {
        digest_name(facts->task, r->task_name);
        facts->task = span_make(r->task_name, DIGEST_NAME);
    }
    facts->cluster = SPAN("");
    if (r->has_cluster && r->values[r->cluster] && !json_value_null(*r->values[r->cluster]))
        facts->cluster = value_text(*r->values[r->cluster], &r->cluster_text);
    for (size_t i = 0; i < r->reward.count; i++)
        r->rewards[i] = r->values[r->reward.slots[i]];
    value_reward(r->rewards, r->reward.count, r->bool_rewards, &facts->reward);
    read_settings(r, facts->settings);
    const struct json_value *finish = typed(r, SLOT_FINISH_REASON, JSON_VALUE_STRING);
    facts->has_finish = finish != NULL;
    facts->cut = finish && span_is(json_text(*finish, &r->spoken), "length");
    read_reply(r, facts);
    facts->judge_status = truthy(r, SLOT_JUDGE_STATUS);
    facts->reason = truthy(r, SLOT_REASON);
    facts->markers = typed(r, SLOT_MARKERS, JSON_VALUE_OBJECT);
    facts->partial_summary = r->values[SLOT_PARTIAL] != NULL;
    facts->report = r->values[SLOT_REPORT] != NULL;
    read_slice(r, facts);
}
