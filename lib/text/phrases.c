/* phrases.c: see phrases.h. The automaton is complete: a table gives each state's successor for each
 * class of bytes. Bytes that no phrase holds share one class, so the table is small. */
#include "text/phrases.h"

#include <stdlib.h>

#include "base/mem.h"

enum { BYTES = 256 };

struct phrases {
    uint32_t *next; /* by state and class; a state's number is where its classes begin */
    uint64_t *sets; /* by state: the phrases that end there */
    size_t states, classes;
    uint32_t first_end; /* states from here on end a phrase */
    uint8_t class_of[BYTES];
    bool any_case;
};

/* ---- the alphabet --------------------------------------------------------------------------- */

static unsigned char upper(unsigned char c)
{
    return c >= 'a' && c <= 'z' ? (unsigned char)(c - 0x20) : c;
}

static size_t number_classes(struct phrases *p, const struct phrase *items, size_t count,
                             enum phrases_case how)
{
    p->classes = 1; /* 0: bytes of no phrase */
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        for (const char *c = items[i].text; *c; c++, bytes++) {
            uint8_t *class = &p->class_of[(unsigned char)*c];
            if (!*class)
                *class = (uint8_t)p->classes++;
            if (how == PHRASES_ANY_CASE)
                p->class_of[upper((unsigned char)*c)] = *class;
        }
    }
    return bytes;
}

/* ---- the trie -------------------------------------------------------------------------------- */

static size_t step(struct phrases *p, size_t state, unsigned char byte)
{
    uint32_t *to = &p->next[state * p->classes + p->class_of[byte]];
    if (!*to)
        *to = (uint32_t)p->states++;
    return *to;
}

static void add_phrase(struct phrases *p, const struct phrase *phrase)
{
    size_t state = 0;
    for (const char *c = phrase->text; *c; c++)
        state = step(p, state, (unsigned char)*c);
    p->sets[state] |= (uint64_t)1 << phrase->set;
}

/* Where there is no edge: that of the longest proper end of the state that is a state itself. States
 * are completed in the order of their depth. */
static void complete(struct phrases *p)
{
    size_t *queue = mem_zero(p->states, sizeof *queue), head = 0, tail = 0;
    uint32_t *fail = mem_zero(p->states, sizeof *fail);
    for (size_t c = 0; c < p->classes; c++)
        if (p->next[c])
            queue[tail++] = p->next[c];
    while (head < tail) {
        size_t state = queue[head++];
        p->sets[state] |= p->sets[fail[state]];
        for (size_t c = 0; c < p->classes; c++) {
            uint32_t *to = &p->next[state * p->classes + c];
            uint32_t other = p->next[fail[state] * p->classes + c];
            if (*to) {
                fail[*to] = other;
                queue[tail++] = *to;
            } else {
                *to = other;
            }
        }
    }
    free(queue);
    free(fail);
}

/* Numbers the states anew, those that end a phrase last, so that a pass looks at sets only there. */
static void renumber(struct phrases *p)
{
    uint32_t *number = mem_zero(p->states, sizeof *number);
    uint32_t *next = mem_zero(p->states * p->classes, sizeof *next);
    uint64_t *sets = mem_zero(p->states, sizeof *sets);
    uint32_t given = 0;
    for (int ends = 0; ends < 2; ends++) {
        if (ends)
            p->first_end = given * (uint32_t)p->classes;
        for (size_t s = 0; s < p->states; s++)
            if ((p->sets[s] != 0) == ends)
                number[s] = given++;
    }
    for (size_t s = 0; s < p->states; s++) {
        sets[number[s]] = p->sets[s];
        for (size_t c = 0; c < p->classes; c++)
            next[number[s] * p->classes + c] =
                number[p->next[s * p->classes + c]] * (uint32_t)p->classes;
    }
    free(number);
    free(p->next);
    free(p->sets);
    p->next = next;
    p->sets = sets;
}

struct phrases *phrases_new(const struct phrase *items, size_t count, enum phrases_case how)
{
    struct phrases *p = mem_zero(1, sizeof *p);
    p->any_case = how == PHRASES_ANY_CASE;
    size_t bytes = number_classes(p, items, count, how);
    p->next = mem_zero((bytes + 1) * p->classes, sizeof *p->next);
    p->sets = mem_zero(bytes + 1, sizeof *p->sets);
    p->states = 1;
    for (size_t i = 0; i < count; i++)
        add_phrase(p, &items[i]);
    complete(p);
    renumber(p);
    return p;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static uint64_t pass(const struct phrases *p, uint32_t *state, struct span text)
{
    uint64_t found = 0;
    uint32_t at = *state;
    for (size_t i = 0; i < text.len; i++) {
        at = p->next[at + p->class_of[(unsigned char)text.ptr[i]]];
        if (at >= p->first_end)
            found |= p->sets[at / p->classes];
    }
    *state = at;
    return found;
}

/* The characters beyond ASCII that are letters of it in another case. */
static const struct {
    struct span written, means;
} FOLDS[] = {{{"\xc5\xbf", 2}, {"s", 1}}, {{"\xe2\x84\xaa", 3}, {"k", 1}}};

uint64_t phrases_find(const struct phrases *p, struct span text)
{
    uint32_t state = 0;
    uint64_t found = 0;
    for (size_t at = 0; p->any_case;) {
        size_t first = text.len, which = 0;
        for (size_t i = 0; i < 2; i++) {
            size_t hit = span_find(text, FOLDS[i].written, at);
            if (hit < first) {
                first = hit;
                which = i;
            }
        }
        if (first == text.len)
            return found | pass(p, &state, span_slice(text, at, text.len));
        found |= pass(p, &state, span_slice(text, at, first));
        found |= pass(p, &state, FOLDS[which].means);
        at = first + FOLDS[which].written.len;
    }
    return pass(p, &state, text);
}

void phrases_free(struct phrases *p)
{
    if (!p)
        return;
    free(p->next);
    free(p->sets);
    free(p);
}
