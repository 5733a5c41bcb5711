# wai: build, test, install. GNU make. `make` alone does everything from a bare checkout: it makes
# configure (autoconf), runs it, and builds the binaries into bin/.
#
#   make                    all binaries
#   make check              every test that needs no package from PyPI
#   make check-asan         the same under AddressSanitizer and UndefinedBehaviorSanitizer
#   make check-interop      comparison with Python packages (installs them into a scratch venv)
#   make bench              speed, as ratios against peers measured in the same run
#   make fuzz               each fuzz target for FUZZ_SECONDS
#   make lint               formatting, static checks, shell scripts, manual pages
#   make install            DESTDIR and prefix are honoured
#
# Out of tree: mkdir build && cd build && ../configure && make

srcdir ?= .
S := $(srcdir)

.DELETE_ON_ERROR:
.SUFFIXES:
all:

# config.mk is made by configure, and configure by autoconf, when they are missing or older.
ifeq ($(filter clean distclean,$(MAKECMDGOALS)),)
include config.mk
endif
ifeq ($(S),.)
configure: configure.ac
	autoconf
config.mk: config.mk.in configure
	./configure --quiet $(CONFIGURE_FLAGS)
else
config.mk: $(S)/config.mk.in $(S)/configure
	$(S)/configure --quiet $(CONFIGURE_FLAGS)
endif

CPPFLAGS += -D_GNU_SOURCE -DWAI_VERSION='"$(VERSION)"' -I$(S)/lib -I$(S) $(LIBRARY_CFLAGS)
# -ffp-contract=off: a fused multiply-add changes last digits (measure 1.5).
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
  -Wno-missing-field-initializers
override CFLAGS += -std=c11 -ffp-contract=off -pthread $(WARNINGS)
override LDFLAGS += -pthread
# --as-needed: a binary loads only the libraries it calls, so that a small tool starts at once.
LIBS := -Wl,--as-needed $(LIBRARY_LIBS) -lm

# ---- sources: every .c file of a room, every cmd/wai*.c a binary -------------------------------

LIB_SRC := $(sort $(wildcard $(S)/lib/*/*.c))
# A binary that needs more than one file has the others in a folder of its name.
CMD_SRC := $(sort $(wildcard $(S)/cmd/wai*.c))
cmd_parts = $(patsubst $(S)/%.c,obj/%.o,$(sort $(wildcard $(S)/cmd/$(1)/*.c)))
LIB_OBJ := $(patsubst $(S)/%.c,obj/%.o,$(LIB_SRC))
BINARIES := $(patsubst $(S)/cmd/%.c,bin/%,$(CMD_SRC))
UNIT_SRC := $(sort $(wildcard $(S)/tests/unit/*/test_*.c))
UNIT_BIN := $(patsubst $(S)/%.c,obj/%,$(UNIT_SRC))
DRIVER_SRC := $(sort $(wildcard $(S)/tests/tools/wai-unit/*.c))
DRIVER_OBJ := $(patsubst $(S)/%.c,obj/%.o,$(DRIVER_SRC))
FUZZ_SRC := $(sort $(wildcard $(S)/tests/fuzz/fuzz_*.c))
FUZZ_REPLAY := $(patsubst $(S)/tests/fuzz/%.c,obj/tests/fuzz/%,$(FUZZ_SRC))
TEST_TOOL_SRC := $(sort $(wildcard $(S)/tests/tools/*.c))
TEST_TOOLS := $(patsubst $(S)/tests/tools/%.c,obj/tests/tools/%,$(TEST_TOOL_SRC))

all: $(BINARIES)

# pow(x, 2.0) must stay a call of the C library (measure 1.5).
obj/lib/stat/%.o obj/lib/measure/%.o: override CFLAGS += -fno-builtin-pow

obj/%.o: $(S)/%.c config.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

obj/libwai.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $(LIB_OBJ)

.SECONDEXPANSION:
bin/%: obj/cmd/%.o $$(call cmd_parts,$$*) obj/libwai.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# The list of sources, written only when it changed: a removed file makes the archive anew.
ifeq ($(filter clean distclean,$(MAKECMDGOALS)),)
ifneq ($(strip $(shell cat obj/lib.list 2>/dev/null)),$(strip $(LIB_SRC)))
$(shell mkdir -p obj && echo '$(LIB_SRC)' > obj/lib.list)
endif
endif
obj/libwai.a: obj/lib.list
obj/lib.list:

# ---- tests --------------------------------------------------------------------------------------

bin/wai-unit: $(DRIVER_OBJ) obj/libwai.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(DRIVER_OBJ) obj/libwai.a $(LIBS)

obj/tests/unit/%: obj/tests/unit/%.o obj/libwai.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< obj/libwai.a $(CMOCKA_LIBS) $(LIBS)
obj/tests/unit/%.o: override CFLAGS += $(CMOCKA_CFLAGS) -Wno-missing-prototypes

obj/tests/tools/%: obj/tests/tools/%.o obj/libwai.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< obj/libwai.a $(LIBS)

# A fuzz target is an ordinary program here: it replays its corpus (`make fuzz` explores).
obj/tests/fuzz/fuzz_%: obj/tests/fuzz/fuzz_%.o obj/tests/fuzz/replay.o obj/libwai.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
obj/tests/fuzz/%.o: override CFLAGS += -Wno-missing-prototypes

# cmocka may have come after configure ran: it is no library of the binaries.
ifeq ($(strip $(CMOCKA_LIBS)),)
CMOCKA_CFLAGS := $(shell pkg-config --cflags cmocka 2>/dev/null)
CMOCKA_LIBS := $(shell pkg-config --libs cmocka 2>/dev/null)
endif

tests: all $(UNIT_BIN) $(if $(DRIVER_SRC),bin/wai-unit) $(FUZZ_REPLAY) $(TEST_TOOLS)

check: tests
	$(S)/tests/run --source $(S) --build . $(TESTS)

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
check-asan: $(S)/configure
	@mkdir -p build-asan
	cd build-asan && { test -f config.mk || $(abspath $(S))/configure --quiet \
	  CC="$(CC)" CFLAGS="-O1 -g $(SANITIZE)" LDFLAGS="$(SANITIZE)"; }
	$(MAKE) -C build-asan check

check-clang: $(S)/configure
	@mkdir -p build-clang
	cd build-clang && { test -f config.mk || $(abspath $(S))/configure --quiet CC=clang; }
	$(MAKE) -C build-clang check

check-interop: all $(if $(DRIVER_SRC),bin/wai-unit) $(TEST_TOOLS)
	$(S)/tests/interop/run --bin $(abspath bin)

# With the package that check-interop installs, its speed is a peer too.
bench: all $(TEST_TOOLS)
	$(S)/scripts/bench --bin $(abspath bin) \
	  $(if $(wildcard $(S)/build-interop/bin/python),--sdk $(S)/build-interop/bin/python)

FUZZ_SECONDS ?= 60
FUZZ_FLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
fuzz: $(S)/configure
	@mkdir -p build-fuzz
	cd build-fuzz && { test -f config.mk || $(abspath $(S))/configure --quiet \
	  CC=clang CFLAGS="$(FUZZ_FLAGS)" LDFLAGS="-fsanitize=address,undefined"; }
	$(MAKE) -C build-fuzz fuzz-targets
	$(S)/tests/fuzz/run --source $(S) --build build-fuzz --seconds $(FUZZ_SECONDS)
fuzz-targets: $(patsubst $(S)/tests/fuzz/%.c,obj/fuzzing/%,$(FUZZ_SRC))
obj/fuzzing/%: obj/tests/fuzz/%.o obj/libwai.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)

lint: all
	$(S)/scripts/lint

# ---- installation -------------------------------------------------------------------------------

MAN_PAGES := $(wildcard $(S)/man/*.[157])
install: all
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(mandir)/man5 \
	  $(DESTDIR)$(mandir)/man7
	install -m 755 $(BINARIES) $(DESTDIR)$(bindir)
	for page in $(MAN_PAGES); do \
	  install -m 644 $$page $(DESTDIR)$(mandir)/man$${page##*.} || exit 1; done

uninstall:
	cd $(DESTDIR)$(bindir) && rm -f $(notdir $(BINARIES))
	for page in $(MAN_PAGES); do \
	  rm -f $(DESTDIR)$(mandir)/man$${page##*.}/$${page##*/} || exit 1; done

dist: configure
	git archive --format=tar --prefix=wai-$(VERSION)/ HEAD > obj/wai-$(VERSION).tar
	tar -rf obj/wai-$(VERSION).tar --transform 's,^,wai-$(VERSION)/,' configure
	gzip -9 -c obj/wai-$(VERSION).tar > wai-$(VERSION).tar.gz
	@rm -f obj/wai-$(VERSION).tar

clean:
	rm -rf bin obj build-asan build-clang build-fuzz
distclean: clean
	rm -rf config.mk config.log config.status configure configure~ autom4te.cache

.PHONY: all tests check check-asan check-clang check-interop bench fuzz fuzz-targets lint install \
  uninstall dist clean distclean
.SECONDARY:

-include $(LIB_OBJ:.o=.d) $(patsubst $(S)/%.c,obj/%.d,$(CMD_SRC) $(wildcard $(S)/cmd/*/*.c) $(UNIT_SRC) $(DRIVER_SRC) \
  $(FUZZ_SRC) $(TEST_TOOL_SRC)) obj/tests/fuzz/replay.d
