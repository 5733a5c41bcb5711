/* fuzz_yaml.c: any bytes as YAML: a tree whose text is JSON, or a message that names the file. */
#include <stdint.h>
#include <stdlib.h>

#include "json/tree.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    json_t *tree = json_tree_yaml(span_make((const char *)data, size), "fuzz.yaml", &error);
    if (!tree) {
        REQUIRE(error.code == ERROR_INPUT && strncmp(error.text, "fuzz.yaml:", 10) == 0);
        return 0;
    }
    struct buf out = {0}, again = {0};
    struct json_value value;
    struct json_fault fault;
    json_tree_write(tree, &out);
    REQUIRE(json_scan(buf_span(&out), &value, NULL, &fault) == 0);
    json_t *second = json_tree(value);
    json_tree_write(second, &again);
    REQUIRE(span_equal(buf_span(&out), buf_span(&again)));
    json_decref(second);
    json_decref(tree);
    buf_free(&out);
    buf_free(&again);
    return 0;
}
