/* schema.c: our JSON Schema (draft 2020-12) of each kind of row (rows 1.2, 1.3, 7, 15). Written
 * with ' for " so that it can be read here; no text in it holds either. */
#include "row/check.h"

#define HEAD(title) \
    "{\n  '$schema': 'https://json-schema.org/draft/2020-12/schema',\n  'title': '" title "',\n"

/* clang-format off */
static const char ROW_SCHEMA[] = HEAD("wai row, version 1")
"  'type': 'object',\n"
"  'required': ['schema_version', 'prompt', 'steps', 'final_text'],\n"
"  'properties': {\n"
"    'schema_version': {'const': '1'},\n"
"    'prompt': {'type': 'string'},\n"
"    'steps': {'type': 'array', 'items': {'$ref': '#/$defs/step'}},\n"
"    'final_text': {'type': 'string'},\n"
"    'scenario_id': {'type': 'string'},\n"
"    'task_id': {'type': 'string'},\n"
"    'messages': {'type': 'array', 'items': {'$ref': '#/$defs/message'}},\n"
"    'faults': {'type': 'object'},\n"
"    'fault_detected': {'type': 'boolean'},\n"
"    'rollout_index': {'type': 'integer', 'minimum': 0},\n"
"    'rollout_id': {'type': 'string'},\n"
"    'ts': {'type': 'integer'},\n"
"    'tools_used': {'type': 'array', 'items': {'type': 'string'}},\n"
"    'finish_reason': {'enum': ['stop', 'length', 'tool', 'error']},\n"
"    'reward': {'type': ['number', 'null'], 'minimum': 0, 'maximum': 1},\n"
"    'judge_status': {'enum': ['ok', 'missing_reward', 'invalid_result', 'error', 'timeout']},\n"
"    'judge_meta': {'type': 'object'},\n"
"    'markers': {'type': 'object', 'additionalProperties': {'type': 'number'}},\n"
"    'llm_reward': {'type': ['number', 'null']},\n"
"    'qwen_reward': {'type': ['number', 'null']},\n"
"    'gold_reward': {'enum': [0, 1]},\n"
"    'privileged': {'type': 'object'},\n"
"    'lineage': {'type': 'object'},\n"
"    'usage': {'type': 'object'},\n"
"    'calibration': {'$ref': '#/$defs/calibration'}\n"
"  },\n"
"  'additionalProperties': true,\n"
"  '$defs': {\n"
"    'step': {\n"
"      'type': 'object',\n"
"      'oneOf': [\n"
"        {'title': 'user turn', 'required': ['user'], 'properties': {'user': {'type': 'string'}}},\n"
"        {'title': 'tool call', 'required': ['tool'], 'not': {'required': ['user']},\n"
"         'properties': {'tool': {'type': 'string'}, 'text': {'type': ['string', 'null']}}},\n"
"        {'title': 'agent turn', 'required': ['text'],\n"
"         'not': {'anyOf': [{'required': ['user']}, {'required': ['tool']}]},\n"
"         'properties': {'text': {'type': 'string'}}}\n"
"      ]\n"
"    },\n"
"    'message': {\n"
"      'type': 'object',\n"
"      'required': ['role'],\n"
"      'properties': {'role': {'type': 'string'}, 'tool_calls': {'type': 'array'}}\n"
"    },\n"
"    'calibration': {\n"
"      'type': ['object', 'null'],\n"
"      'required': ['n', 'pass_rate'],\n"
"      'properties': {\n"
"        'n': {'type': 'integer', 'minimum': 1},\n"
"        'pass_rate': {'type': 'number', 'minimum': 0, 'maximum': 1}\n"
"      }\n"
"    }\n"
"  }\n"
"}\n";

static const char TRAINING_SCHEMA[] = HEAD("wai training row")
"  'type': 'object',\n"
"  'required': ['messages'],\n"
"  'properties': {\n"
"    'messages': {\n"
"      'type': 'array',\n"
"      'minItems': 1,\n"
"      'items': {'type': 'object', 'required': ['role'], 'properties': {'role': {'type': 'string'}}}\n"
"    },\n"
"    'loss_mask': {'type': ['array', 'null'], 'items': {'enum': [0, 1]}},\n"
"    'tools': {'type': ['array', 'null']},\n"
"    'group_id': {'type': 'string'}\n"
"  },\n"
"  'additionalProperties': true\n"
"}\n";

static const char PREFERENCE_SCHEMA[] = HEAD("wai preference row")
"  'type': 'object',\n"
"  'required': ['chosen', 'rejected'],\n"
"  'properties': {\n"
"    'prompt': {},\n"
"    'chosen': {'type': 'array', 'minItems': 1},\n"
"    'rejected': {'type': 'array', 'minItems': 1},\n"
"    'chosen_score': {'type': ['number', 'null']},\n"
"    'rejected_score': {'type': ['number', 'null']},\n"
"    'margin': {'type': ['number', 'null']},\n"
"    'same_policy': {'type': ['boolean', 'null']},\n"
"    'length_delta': {'type': 'integer'},\n"
"    'tools': {'type': ['array', 'null']}\n"
"  },\n"
"  'additionalProperties': true\n"
"}\n";
/* clang-format on */

void row_schema(enum row_kind kind, struct buf *out)
{
    const char *text = kind == ROW_KIND_TRAINING     ? TRAINING_SCHEMA
                       : kind == ROW_KIND_PREFERENCE ? PREFERENCE_SCHEMA
                                                     : ROW_SCHEMA;
    for (; *text; text++)
        buf_byte(out, *text == '\'' ? '"' : *text);
}
