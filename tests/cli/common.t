# What every binary does alike. The scripts go over all of them and name the one that does not.

test: --help, --version
run:
  for path in "$BIN"/wai*; do
    name=${path##*/}
    [ "$name" = wai-unit ] && continue
    "$name" --help > help || echo "$name --help: exit $?"
    head -1 help | grep -q "^usage: $name " || echo "$name --help does not start with its usage"
    grep -q '^Exit status:' help || echo "$name --help says nothing of the exit status"
    awk 'length($0) > 100' help | sed "s/^/$name --help, a long line: /"
    "$name" --version | grep -Eqx "$name [0-9]+\.[0-9]+\.[0-9]+" || echo "$name --version"
  done
stdout:
stderr empty

test: an unknown option is bad usage and leaves standard output alone
run:
  for path in "$BIN"/wai-*; do
    name=${path##*/}
    [ "$name" = wai-unit ] && continue
    "$name" --no-such-option < /dev/null > out 2> err
    [ $? = 2 ] || echo "$name: exit is not 2"
    [ -s out ] && echo "$name: printed on standard output"
    grep -q "^$name: .*--no-such-option" err || echo "$name: $(cat err)"
    [ "$(wc -l < err)" = 1 ] || echo "$name: more than one line"
  done
stdout:

test: an output that cannot be written is exit 5
run:
  for path in "$BIN"/wai*; do
    name=${path##*/}
    [ "$name" = wai-unit ] && continue
    "$name" --help > /dev/full 2> err
    [ $? = 5 ] || echo "$name: full: exit is not 5"
    grep -q 'No space left on device.*free some space' err || echo "$name: $(cat err)"
    "$name" --help >&- 2> err
    [ $? = 5 ] || echo "$name: closed: exit is not 5"
  done
stdout:

test: completion for bash parses and offers the options
run:
  for path in "$BIN"/wai*; do
    name=${path##*/}
    [ "$name" = wai-unit ] && continue
    "$name" --completion bash > script || echo "$name: exit $?"
    bash -n script || echo "$name: does not parse"
    function=_${name//-/_}
    (source ./script; COMP_WORDS=("$name" --hel); COMP_CWORD=1; $function; [ "${COMPREPLY[*]}" = --help ]) ||
      echo "$name: does not complete --hel"
  done
stdout:
stderr empty

test: completion for zsh parses
needs: zsh
run:
  for path in "$BIN"/wai*; do
    name=${path##*/}
    [ "$name" = wai-unit ] && continue
    "$name" --completion zsh > script || echo "$name: exit $?"
    zsh -n script || echo "$name: does not parse"
  done
stdout:
stderr empty

test: completion for fish parses
needs: fish
run:
  for path in "$BIN"/wai*; do
    name=${path##*/}
    [ "$name" = wai-unit ] && continue
    "$name" --completion fish > script || echo "$name: exit $?"
    fish -n script || echo "$name: does not parse"
  done
stdout:
stderr empty

test: completion for another shell is bad usage
run:
  for path in "$BIN"/wai*; do
    name=${path##*/}
    [ "$name" = wai-unit ] && continue
    "$name" --completion csh > out 2> err
    [ $? = 2 ] || echo "$name: exit is not 2"
    grep -q 'bash, zsh, fish' err || echo "$name: $(cat err)"
  done
stdout:
