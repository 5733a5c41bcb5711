/* roles.c: who plays which role, from wai.yaml and the environment; see spec.h. */
#include <stdlib.h>
#include <unistd.h>

#include "model/spec.h"
#include "net/credentials.h"
#include "json/tree.h"

#define ROLES_FILE "wai.yaml"

static const char *const KEYS[] = {"agent", "judge", "user", "writer", "embedder"};
static const char *const VARIABLES[] = {"WHILEAI_AGENT", "WHILEAI_JUDGE", NULL, "WHILEAI_SURROGATE",
                                        NULL};
enum { N_KEYS = sizeof KEYS / sizeof *KEYS };

static int role_of(const char *key)
{
    for (int i = 0; i < N_KEYS; i++)
        if (strcmp(key, KEYS[i]) == 0)
            return i;
    return -1;
}

static int take_members(struct model_roles *roles, json_t *tree, struct error *error)
{
    const char *key;
    json_t *value;
    if (!json_is_object(tree))
        return error_set(error, ERROR_INPUT, ROLES_FILE ": it holds no map; write agent: SPEC");
    json_object_foreach(tree, key, value)
    {
        int role = role_of(key);
        if (role < 0)
            return error_set(error, ERROR_INPUT,
                             ROLES_FILE ": unknown key %s; there are agent, judge, user, writer, "
                                        "embedder",
                             key);
        if (!json_is_string(value))
            return error_set(error, ERROR_INPUT, ROLES_FILE ": %s is no text; write %s: SPEC", key,
                             key);
        buf_clear(&roles->specs[role]);
        buf_add(&roles->specs[role], json_string_value(value), json_string_length(value));
    }
    return 0;
}

int model_roles_read(struct model_roles *roles, struct error *error)
{
    if (access(ROLES_FILE, F_OK) < 0)
        return 0;
    json_t *tree = json_tree_file(ROLES_FILE, error);
    if (!tree)
        return ERROR_INPUT;
    int code = take_members(roles, tree, error);
    json_decref(tree);
    return code;
}

void model_roles_free(struct model_roles *roles)
{
    for (int i = 0; i < N_KEYS; i++)
        buf_free(&roles->specs[i]);
}

const char *model_role(struct model_roles *roles, enum model_role role, const char *option,
                       enum model_role_source *source)
{
    struct span value;
    if (option) {
        *source = ROLE_FROM_OPTION;
        return option;
    }
    if (roles->specs[role].len) {
        *source = ROLE_FROM_FILE;
        return buf_cstr(&roles->specs[role]);
    }
    if (VARIABLES[role] && environment_value(VARIABLES[role], &value)) {
        *source = ROLE_FROM_VARIABLE;
        return getenv(VARIABLES[role]);
    }
    *source = ROLE_FROM_NONE;
    return NULL;
}
