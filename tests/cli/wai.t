test: alone it lists the tools beside it and on PATH, each once
run:
  mkdir here there
  cp "$BIN/wai" here/
  printf '#!/bin/sh\necho here "$@"\n' > here/wai-passat
  printf '#!/bin/sh\necho there\n' > there/wai-passat
  printf '#!/bin/sh\n' > there/wai-mine
  printf '#!/bin/sh\n' > there/wai-Upper
  printf 'no program' > there/wai-text
  mkdir there/wai-folder
  chmod +x here/wai-* there/wai-passat there/wai-mine there/wai-Upper
  PATH=there:/bin:/usr/bin here/wai | sed -n '/^Tools/,/^$/p' | sed '/^$/d'
stdout:
  Tools, found beside wai and on PATH:
    mine
    passat  pass@1, pass^k, pass@k with intervals; gate for CI

stderr empty

test: the same with --help and with help
run: wai > a; wai --help > b; wai help > c; wai -h > d; cmp a b && cmp a c && cmp a d && cat a
stdout has: usage: wai NAME [ARGUMENT...] | help [NAME]

test: the tool beside it wins, arguments arrive as they are, the exit status is the tool's
run:
  mkdir here there
  cp "$BIN/wai" here/
  printf '#!/bin/sh\nprintf "[%%s]" "$0" "$@"; echo; exit 7\n' > here/wai-mine
  printf '#!/bin/sh\necho there\n' > there/wai-mine
  printf '#!/bin/sh\necho other "$@"\n' > there/wai-other
  chmod +x here/* there/*
  PATH=there:$PATH
  here/wai other --help
  ln -s "$PWD/here/wai" there/link
  link mine --help '' 'a b; echo c' --version -- '$x' | sed "s|$PWD/||"
  exit "${PIPESTATUS[0]}"
exit: 7
stdout:
  other --help
  [here/wai-mine][--help][][a b; echo c][--version][--][$x]

test: it becomes the tool: same process, and a signal is the tool's
run:
  mkdir here
  cp "$BIN/wai" here/
  printf '#!/bin/sh\necho $$ > pid\nkill -TERM $$\nsleep 10\n' > here/wai-mine
  chmod +x here/wai-mine
  here/wai mine & expected=$!
  wait $expected; status=$?
  [ "$(cat pid)" = "$expected" ] && exit $status
exit: 143

test: an unknown name is bad usage, with the nearest
run:
  wai rosw; echo $?
  wai wai-rows; echo $?
stdout:
  2
  2
stderr:
  wai: there is no tool rosw; did you mean `wai rows`? (wai --help lists what there is)
  wai: there is no tool wai-rows; did you mean `wai rows`? (wai --help lists what there is)

test: names that are paths, that are wai itself, that are no names
run:
  mkdir sub; printf '#!/bin/sh\necho ran\n' > sub/wai-x; cp sub/wai-x wai-wai; chmod +x sub/wai-x wai-wai
  PATH=$PWD:$PATH
  for name in ../work/sub/x sub/x wai '' . 'a b' "$(printf 'a\033[31m')"; do wai "$name"; echo $?; done
stdout:
  2
  2
  2
  2
  2
  2
  2
stderr has: there is no tool a\x1b[31m (

test: options of its own
run: wai --frobnicate; echo $?; wai --json rows; echo $?; wai -; echo $?; wai --completion; echo $?
stdout:
  2
  2
  2
  2
stderr:
  wai: --frobnicate is no option of wai (--help lists them)
  wai: --json is no option of wai (--help lists them)
  wai: - is no tool; name one (wai --help lists them)
  wai: --completion needs a value: --completion bash|zsh|fish

test: a file that is no program
run:
  mkdir here
  cp "$BIN/wai" here/
  printf '\177ELF nonsense' > here/wai-broken
  chmod +x here/wai-broken
  here/wai broken
exit: 5
stderr has: wai-broken: cannot be started (Exec format error)

test: help prints --help where there is no page
run:
  mkdir here
  cp "$BIN/wai" here/
  printf '#!/bin/sh\necho "usage of mine: $*"\n' > here/wai-mine
  chmod +x here/wai-mine
  here/wai help mine
  here/wai help nothing; echo $?
stdout:
  usage of mine: --help
  2
stderr has: there is no tool nothing

test: help without man(1)
run: ln -s "$(command -v sh)" sh; export PATH=$PWD; "$BIN/wai" help rows
stdout has: usage: wai-rows

test: help opens the page beside the binary
needs: man mandoc
run:
  mkdir -p p/bin p/share/man/man1
  cp "$BIN/wai" p/bin/
  printf '#!/bin/sh\necho no page\n' > p/bin/wai-mine
  chmod +x p/bin/wai-mine
  printf '.Dd November 29, 2026\n.Dt WAI-MINE 1\n.Os\n.Sh NAME\n.Nm wai-mine\n.Nd my page\n' > p/share/man/man1/wai-mine.1
  p/bin/wai help mine
stdout has: my page

test: completion of bash: tools, then the tool's own options
run:
  source <(wai --completion bash)
  try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wai; echo "> ${COMPREPLY[*]}"; }
  try wai ro
  try wai help ro
  try wai --comp
  try wai --completion f
  try wai rows --comp
  try wai rows --completion z
  try wai nothing --comp
stdout:
  > rows
  > rows
  > --completion
  > fish
  > --completion
  > zsh
  > 
stderr empty

test: completion of fish: tools, then the tool's own options
needs: fish
run:
  fish -c 'wai --completion fish | source
    complete -C "wai ro" | string split -f1 \t
    complete -C "wai help ro" | string split -f1 \t
    complete -C "wai rows --comp" | string split -f1 \t
    complete -C "wai rows --completion z" | string split -f1 \t'
stdout:
  rows
  rows
  --completion
  zsh

test: a closed pipe ends quietly
run: (sleep 0.3; wai --help; echo $? > status) | true; while [ ! -s status ]; do sleep 0.1; done; cat status
stdout:
  141
stderr empty
