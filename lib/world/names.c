/* names.c: the word lists and key patterns of names.h. Lists are data; the code only searches them.
 */
#include "world/names.h"

#include <strings.h>

#include "text/fold.h"

/* Lists end with an empty span. */
#define END     \
    {           \
        NULL, 0 \
    }

static bool has_any(struct span s, const struct span *words)
{
    for (; words->len; words++)
        if (s.len >= words->len && span_has(s, *words))
            return true;
    return false;
}

static bool starts_any(struct span s, const struct span *words)
{
    for (; words->len; words++)
        if (span_starts(s, *words))
            return true;
    return false;
}

static bool is_any(struct span s, const struct span *words)
{
    for (; words->len; words++)
        if (span_equal(s, *words))
            return true;
    return false;
}

static bool is_any_case(struct span s, const struct span *words)
{
    for (; words->len; words++)
        if (s.len == words->len && strncasecmp(s.ptr, words->ptr, s.len) == 0)
            return true;
    return false;
}

#define W(text)                \
    {                          \
        text, sizeof(text) - 1 \
    }

static const struct span CREATE[] = {W("create"), W("generate"), W("write"), W("add"), W("upload"),
                                     W("insert"), W("make"),     W("post"),  W("new"), END};
static const struct span READ[] = {W("get"),      W("read"),  W("list"), W("inspect"),
                                   W("search"),   W("fetch"), W("find"), W("show"),
                                   W("describe"), W("cat"),   W("view"), END};
static const struct span DELETE[] = {W("delete"), W("remove"), W("drop"), W("destroy"), END};
static const struct span FILE_MUTATE[] = {
    W("write"),       W("edit"),        W("apply"),   W("patch"),
    W("create_file"), W("update_file"), W("replace"), END};
static const struct span CALCULATE[] = {W("calc"), W("compute"), W("eval"), W("math"), END};

unsigned name_verbs(struct span lower)
{
    unsigned verbs = 0;
    verbs |= starts_any(lower, CREATE) ? VERB_CREATE : 0;
    verbs |= starts_any(lower, READ) ? VERB_READ : 0;
    verbs |= starts_any(lower, DELETE) ? VERB_DELETE : 0;
    verbs |= has_any(lower, FILE_MUTATE) ? VERB_FILE_MUTATE : 0;
    verbs |= starts_any(lower, CALCULATE) ? VERB_CALCULATE : 0;
    if (span_has(lower, SPAN("search")) || span_starts(lower, SPAN("list")))
        verbs |= VERB_SEARCH;
    return verbs;
}

/* ---- kinds (world 4.1) ----------------------------------------------------------------------- */

static const struct span SHELL[] = {W("run_command"),   W("run_terminal"),    W("bash"),
                                    W("shell_command"), W("execute_command"), W("terminal_cmd"),
                                    W("run_bash"),      W("pytest"),          END};
static const struct span SHELL_VERB[] = {W("run"),  W("exec"),     W("shell"),
                                         W("bash"), W("terminal"), END};
static const struct span GREP[] = {
    W("grep"),         W("ripgrep"), W("search_code"), W("code_search"), W("find_in_files"),
    W("search_files"), END};
static const struct span FILE_NAME[] = {W("read_file"),
                                        W("write_file"),
                                        W("get_file"),
                                        W("cat_file"),
                                        W("view_file"),
                                        W("edit_file"),
                                        W("apply_patch"),
                                        W("replace_in_file"),
                                        W("open_file"),
                                        W("file_contents"),
                                        END};
static const struct span FILE_VERB[] = {W("read"),  W("write"),    W("get"),  W("cat"),
                                        W("view"),  W("edit"),     W("open"), W("apply"),
                                        W("patch"), W("contents"), W("file"), END};
static const struct span NOT_FILE[] = {W("profile"), W("order"), W("issue"), W("account"), END};
static const struct span NOT_FILE_WORD[] = {W("user"), W("pr"), W("prs"), END};
static const struct span FILES[] = {W("list_dir"), W("list_files"), W("glob_files"), W("ls_dir"),
                                    END};
static const struct span NOT_DIR[] = {W("order"),  W("issue"), W("check"),
                                      W("commit"), W("event"), END};
static const struct span GIT[] = {W("git_status"), W("git_diff"),   W("git_log"), W("git_show"),
                                  W("git_blame"),  W("commit_log"), END};
static const struct span CI[] = {W("list_checks"), W("ci_status"), W("test_results"), END};
static const struct span MONEY_TOOL[] = {W("payment"),  W("price"),   W("invoice"),    W("balance"),
                                         W("estimate"), W("fx_rate"), W("amount_due"), END};

/* Some word between underscores is one of the list. */
static bool has_part(struct span s, const struct span *words)
{
    size_t from = 0;
    for (size_t i = 0; i <= s.len; i++)
        if (i == s.len || s.ptr[i] == '_') {
            if (is_any(span_slice(s, from, i), words))
                return true;
            from = i + 1;
        }
    return false;
}

unsigned name_hints(struct span lower)
{
    unsigned hints = 0;
    if (has_any(lower, SHELL) || span_is(lower, "exec") || span_ends(lower, SPAN("run_test")) ||
        span_ends(lower, SPAN("run_tests")))
        hints |= HINT_SHELL;
    if (has_any(lower, SHELL_VERB))
        hints |= HINT_SHELL_VERB;
    if (has_any(lower, GREP))
        hints |= HINT_GREP;
    if (has_any(lower, FILE_NAME))
        hints |= HINT_FILE;
    if (has_any(lower, FILE_VERB))
        hints |= HINT_FILE_VERB;
    if (has_any(lower, NOT_FILE) || has_part(lower, NOT_FILE_WORD))
        hints |= HINT_NOT_FILE;
    if (has_any(lower, FILES))
        hints |= HINT_FILES;
    if (span_starts(lower, SPAN("list")) && !has_any(lower, NOT_DIR))
        hints |= HINT_LIST;
    if (span_starts(lower, SPAN("git")) || has_any(lower, GIT) || span_is(lower, "list_commits") ||
        span_ends(lower, SPAN("_commits")))
        hints |= HINT_GIT;
    if (has_any(lower, CI) || span_ends(lower, SPAN("_checks")))
        hints |= HINT_CI;
    if (has_any(lower, MONEY_TOOL))
        hints |= HINT_MONEY;
    return hints;
}

static const struct span KEY_COMMAND[] = {W("command"), W("cmd"), W("argv"), END};
static const struct span KEY_PATTERN[] = {W("pattern"), W("regex"), END};
static const struct span KEY_SCOPE[] = {W("path"), W("glob"), W("directory"), W("dir"), END};
static const struct span KEY_FILE[] = {W("path"),     W("file"),     W("file_path"),
                                       W("filepath"), W("filename"), END};
static const struct span KEY_CI[] = {W("sha"), W("commit"), W("number"), END};

unsigned key_classes(struct span lower)
{
    if (lower.len < 3 || lower.len > 9)
        return 0;
    return (is_any(lower, KEY_COMMAND) ? KEYS_COMMAND : 0u) |
           (is_any(lower, KEY_PATTERN) ? KEYS_PATTERN : 0u) |
           (is_any(lower, KEY_SCOPE) ? KEYS_SCOPE : 0u) |
           (is_any(lower, KEY_FILE) ? KEYS_FILE : 0u) | (is_any(lower, KEY_CI) ? KEYS_CI : 0u);
}

static bool word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) ||
           (c >= 'A' && c <= 'Z');
}

bool name_speaks_of_ci(struct span d)
{
    for (size_t i = 0; i + 2 <= d.len; i++) {
        if (i && word_byte(d.ptr[i - 1]))
            continue;
        struct span rest = span_slice(d, i, d.len);
        if (span_starts(rest, SPAN("ci")) || span_starts(rest, SPAN("check run")))
            return true;
    }
    return false;
}

enum world_kind kind_of(unsigned hints, unsigned classes, bool speaks_of_ci)
{
    if ((hints & HINT_SHELL) || ((classes & KEYS_COMMAND) && (hints & HINT_SHELL_VERB)))
        return KIND_SHELL;
    if ((hints & HINT_GREP) || ((classes & KEYS_PATTERN) && (classes & KEYS_SCOPE)))
        return KIND_GREP;
    if ((hints & HINT_FILE) ||
        ((classes & KEYS_FILE) && (hints & HINT_FILE_VERB) && !(hints & HINT_NOT_FILE)))
        return KIND_FILE;
    if ((hints & HINT_FILES) || ((hints & HINT_LIST) && (classes & KEYS_SCOPE)))
        return KIND_FILES;
    if (hints & HINT_GIT)
        return KIND_GIT;
    if ((hints & HINT_CI) || (speaks_of_ci && (classes & KEYS_CI)))
        return KIND_CI;
    return hints & HINT_MONEY ? KIND_MONEY : KIND_RECORD;
}

static const char *const KINDS[KIND_COUNT] = {"record", "shell", "grep", "file",
                                              "files",  "git",   "ci",   "money"};

const char *kind_name(enum world_kind kind)
{
    return KINDS[kind];
}

int kind_of_name(struct span name)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (span_is(name, KINDS[i]))
            return i;
    return -1;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const struct span QUANTITY[] = {
    W("inventory"), W("stock"), W("quantity"), W("qty"),  W("count"),
    W("available"), W("unit"),  W("seat"),     W("room"), END};
static const struct span MONEY[] = {W("price"),   W("cost"),    W("fee"),    W("amount"),
                                    W("balance"), W("total"),   W("charge"), W("refund"),
                                    W("pay"),     W("invoice"), W("bill"),   END};
static const struct span DATE[] = {
    W("date"), W("schedule"), W("appointment"), W("booking"), W("deliver"),
    W("ship"), W("due"),      W("calendar"),    W("slot"),    END};
static const struct span PEOPLE[] = {W("owner"),   W("assignee"), W("author"), W("agent"),
                                     W("member"),  W("team"),     W("user"),   W("customer"),
                                     W("contact"), W("staff"),    END};

unsigned word_cues(struct span lower)
{
    return (has_any(lower, QUANTITY) ? CUE_QUANTITY : 0u) |
           (has_any(lower, MONEY) ? CUE_MONEY : 0u) | (has_any(lower, DATE) ? CUE_DATE : 0u) |
           (has_any(lower, PEOPLE) ? CUE_PEOPLE : 0u);
}

struct span name_noun(struct span lower)
{
    struct span last = {lower.ptr, 0};
    size_t at = 0;
    while (at < lower.len) {
        while (at < lower.len && !((lower.ptr[at] >= 'a' && lower.ptr[at] <= 'z') ||
                                   (lower.ptr[at] >= '0' && lower.ptr[at] <= '9')))
            at++;
        size_t from = at;
        while (at < lower.len && ((lower.ptr[at] >= 'a' && lower.ptr[at] <= 'z') ||
                                  (lower.ptr[at] >= '0' && lower.ptr[at] <= '9')))
            at++;
        if (at > from)
            last = span_slice(lower, from, at);
    }
    if (last.len >= 4 && span_ends(last, SPAN("s")) && !span_ends(last, SPAN("ss")))
        last.len--;
    return last;
}

/* ---- patterns of keys ------------------------------------------------------------------------ */

static bool ends_case(struct span s, const char *suffix)
{
    size_t n = strlen(suffix);
    return s.len >= n && strncasecmp(s.ptr + s.len - n, suffix, n) == 0;
}

static bool has_case(struct span s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= s.len; i++)
        if (strncasecmp(s.ptr + i, word, n) == 0)
            return true;
    return false;
}

static const struct span REFERENCE_WHOLE[] = {W("id"),  W("path"),   W("file"), W("name"), W("key"),
                                              W("ref"), W("number"), W("asin"), W("sku"),  END};
static const struct span IDISH_WHOLE[] = {W("id"),   W("sku"),  W("ref"), W("pnr"),
                                          W("code"), W("asin"), END};
static const struct span TITLES[] = {
    W("title"), W("name"), W("description"), W("product_name"), W("summary"), W("subject"), END};

bool key_is_reference(struct span key)
{
    return is_any_case(key, REFERENCE_WHOLE) || ends_case(key, "_id") || ends_case(key, "_path");
}

bool key_is_idish(struct span key)
{
    return is_any_case(key, IDISH_WHOLE) || ends_case(key, "_id") || ends_case(key, "number");
}

bool key_is_dateish(struct span key)
{
    static const struct span at[] = {W("at"), END};
    return has_case(key, "date") || ends_case(key, "_at") || is_any_case(key, at) ||
           ends_case(key, "time") || ends_case(key, "day") || has_case(key, "when");
}

bool key_is_personish(struct span key)
{
    static const struct span whole[] = {W("from"), W("by"), END};
    return is_any_case(key, whole) || has_case(key, "owner") || has_case(key, "author") ||
           has_case(key, "assignee") || has_case(key, "sender");
}

bool key_is_title(struct span key)
{
    return is_any_case(key, TITLES);
}

bool key_is_locator(struct span key)
{
    static const struct span date[] = {W("date"), END};
    return is_any_case(key, TITLES) || is_any_case(key, date) || key_is_idish(key);
}

struct span name_lower(struct span s, struct buf *scratch)
{
    buf_clear(scratch);
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] & 0x80) {
            text_lower(s, scratch);
            return buf_span(scratch);
        }
    char *out = buf_reserve(scratch, s.len + 1);
    for (size_t i = 0; i < s.len; i++)
        out[i] = s.ptr[i] >= 'A' && s.ptr[i] <= 'Z' ? (char)(s.ptr[i] + 32) : s.ptr[i];
    scratch->len = s.len;
    return buf_span(scratch);
}
