/* schema_parts.h: what schema.c (the document), schema_check.c (validation) share. */
#ifndef WAI_GRADE_SCHEMA_PARTS_H
#define WAI_GRADE_SCHEMA_PARTS_H

#include "base/map.h"
#include "grade/schema.h"
#include "text/regex.h"

struct schema_reference {
    struct json_value target; /* text.ptr NULL: none */
    size_t uri;               /* number of the resource that it is in */
};

struct schema {
    struct buf text;
    struct json_value root;
    enum schema_draft draft;
    bool annotates;             /* unevaluated… stands somewhere */
    struct map uris;            /* resolved URIs, with fragments for anchors */
    struct json_value *targets; /* by number of the URI */
    size_t cap_targets;
    struct map refs; /* place of a $ref's value in the text -> what it refers to */
    struct schema_reference *references;
    size_t cap_refs;
    struct map resources; /* place of a schema with an $id -> number of its URI */
    size_t *resource_uris;
    size_t cap_resources;
    struct map dynamic; /* URI#NAME of a $dynamicAnchor */
    struct json_value *dynamic_targets;
    size_t cap_dynamic;
    struct map patterns;
    struct regex **regexes; /* by number of the pattern */
    size_t cap_regexes;
};

/* What a reference keyword's value refers to, found when the schema was opened. */
struct schema_reference schema_target(const struct schema *s, struct json_value reference);

/* Number of the URI of a schema that has an $id of its own, or MAP_NONE. */
size_t schema_resource(const struct schema *s, struct json_value object);

/* The schema with that $dynamicAnchor in the resource; text.ptr NULL: none. */
struct json_value schema_dynamic(const struct schema *s, size_t uri, struct span name);

const struct regex *schema_regex(const struct schema *s, struct span pattern);

#endif
