# What the search must hold on grids of 2, 6 and 20 tools; tests/cli/data/search.py has the checks.
# INV-14, speed, is scripts/bench's.

test: INV-1: the same bytes at any --jobs and in a second process, in every mode
seconds: 120
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py same_bytes
stdout:
  held

test: INV-2: an explore run has all the rows it may have
seconds: 120
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py whole_budget
stdout:
  held

test: INV-3: pairs are met soon
seconds: 120
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py pairs
stdout:
  held

test: INV-4: messages differ
seconds: 60
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py variety
stdout:
  held

test: INV-5: the dial of hard tiers holds in every mode
seconds: 240
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py dial
stdout:
  held

test: INV-6: the arms get their shares
seconds: 60
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py arms
stdout:
  held

test: INV-7: situations, wordings and rollouts multiply
seconds: 60
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py counts
stdout:
  held

test: INV-8: successive groups agree with the report
seconds: 60
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py successive
stdout:
  held

test: INV-9: every seed is played, first
seconds: 60
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py seeds
stdout:
  held

test: INV-10: the share of fault situations that keep their fault
seconds: 60
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py faults
stdout:
  held

test: INV-11: one rule moves its own situations
seconds: 60
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py rules
stdout:
  held

test: INV-12: a resumed run has the rows of a whole one
seconds: 60
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py resumed
stdout:
  held

test: INV-13: tags are true, labels stay out of messages
seconds: 60
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py honest
stdout:
  held

test: INV-15: a run's rows are its tasks
seconds: 60
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py replay
stdout:
  held

test: INV-16: traces aim a run
seconds: 60
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py aimed
stdout:
  held

test: the rounds of mode adaptive
seconds: 60
run: SOURCE=$SOURCE python3 $SOURCE/tests/cli/data/search.py adaptive
stdout:
  held
