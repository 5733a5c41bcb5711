# evals.mk: an eval that a build runs. `make evals` plays the agent on the tasks of the accepted rows, grades
# the rollouts and compares them with the accepted ones, task by task. Green goes on; worse ends make with an
# error, and evals/summary.md and evals/junit.xml say which tasks moved. As it stands it is offline: a seeded
# agent whose mistakes are known.
#
#   make -f evals.mk accept                          these rows are the ones to hold against (once, and after
#                                                    each change that is meant to move them)
#   make -f evals.mk evals                           green: nothing changed
#   make -f evals.mk evals AGENT='seeded --seeded-rate 0.9'     red: the agent got worse
#
# For an agent of your own set what is below, in another makefile or on the command line. RUNS=3 plays the tasks
# three times, so that a change has to pass what re-running moves; keep $(BASELINE) under version control.

here  := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))
BIN   ?= $(here)../../bin
export PATH := $(abspath $(BIN)):$(PATH)

AGENT  ?= seeded --seeded-rate 0.2
TOOLS  ?= $(here)../example/tools.json
POLICY ?= $(here)../example/policy.md
GRADE  ?= -e 'if (.seeded | length) == 0 then 1 else 0 end'
TASKS  ?= 20
TRIES  ?= 4
RUNS   ?= 1
OUT    ?= evals
BASELINE ?= $(OUT)/accepted.jsonl
SUMMARY  ?= $(OUT)/summary.md
# What is red: the pass rate moved down, a guarded marker did (MARKERS=a,b), or it is not known.
GATES  ?= --target pass_at_1 --fail-on insufficient $(if $(MARKERS),--must-not-regress $(MARKERS))

PLAY = wai-simulate --quiet --agent $(AGENT) --tools '$(TOOLS)' --policy '$(POLICY)' --mode rl \
       --repeats $(TRIES) --repeat-policy fixed --runs $(RUNS)

.PHONY: evals accept force
.DELETE_ON_ERROR:

evals: $(OUT)/scored.jsonl
	@test -f '$(BASELINE)' || { echo '$(BASELINE): no accepted rows; make accept first' >&2; exit 1; }
	wai-compare $(GATES) --per-task --summary='$(SUMMARY)' --junit '$(OUT)/junit.xml' '$(BASELINE)' $<

accept: $(OUT)/scored.jsonl
	cp $< '$(BASELINE)'
	wai-passat $<

# Played each time: what an agent does is not a function of files that make could look at. The accepted tasks
# are played again; before there are any, new ones are made.
$(OUT)/rows.jsonl: force
	@mkdir -p $(OUT)
	@if [ -f '$(BASELINE)' ]; then $(PLAY) --tasks '$(BASELINE)' -o $@; \
	 else $(PLAY) --situations $(TASKS) --phrasings 1 -o $@; fi

$(OUT)/scored.jsonl: $(OUT)/rows.jsonl
	@wai-grade --quiet $(GRADE) $< >$@
