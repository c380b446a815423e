# emu.mk - the test-only CUDA emulator, in two builds; never installed
#
# EMU_OBJS with CUDA sources compiled by EMU_CXX: the plain build, with a sanitizer if CFLAGS has
# one.  EMU_CHECK_OBJS with sources compiled by EMU_CHECK_CXX: every load and store of a kernel is
# checked for races and uninitialised memory.  Link both with EMU_LIBS.

ifndef EMU_FLAGS
EMU_WARN  := $(filter-out -Wstrict-prototypes -Wmissing-prototypes,$(WARN)) -Wmissing-declarations
EMU_FLAGS := -std=gnu++17 -D_GNU_SOURCE -DSE_CUDA_EMULATOR -DEMU_ROOT='"$(CURDIR)/"' -I. \
             -Icuda/emu -MMD -MP -fPIC -fvisibility=hidden $(EMU_WARN)
EMU_CHECK_OPT := -O2 -g -fno-omit-frame-pointer -DSE_EMU_CHECK
EMU_CXX   := $(CXX) -x c++ $(EMU_FLAGS) $(CFLAGS)
EMU_CHECK_CXX := $(CXX) -x c++ $(EMU_FLAGS) $(EMU_CHECK_OPT) -fsanitize=thread
EMU_LIBS  := -lopenblas -lm -lpthread -ldl

EMU_SOURCES := $(sort $(wildcard cuda/emu/*.cpp))
EMU_OBJS := $(patsubst %.cpp,$(B)/%.o,$(filter-out cuda/emu/check.cpp,$(EMU_SOURCES)))
EMU_CHECK_OBJS := $(patsubst cuda/emu/%.cpp,$(B)/cuda/emu-check/%.o,$(EMU_SOURCES))

$(EMU_OBJS): $(B)/%.o: %.cpp | $(B)/.test-ready
	@mkdir -p $(@D)
	$(EMU_CXX) -c -o $@ $<

$(EMU_CHECK_OBJS): $(B)/cuda/emu-check/%.o: cuda/emu/%.cpp | $(B)/.test-ready
	@mkdir -p $(@D)
	$(CXX) $(EMU_FLAGS) $(EMU_CHECK_OPT) -c -o $@ $<

# The emulator's own tests, in both builds
EMU_TESTS := $(patsubst tests/emu/%.cu,$(B)/emu/%,$(sort $(wildcard tests/emu/*.cu)))
EMU_CHECK_TESTS := $(EMU_TESTS:%=%-checked)

$(EMU_TESTS:%=%.o): $(B)/emu/%.o: tests/emu/%.cu | $(B)/.test-ready
	@mkdir -p $(@D)
	$(EMU_CXX) -c -o $@ $<

$(EMU_CHECK_TESTS:%=%.o): $(B)/emu/%-checked.o: tests/emu/%.cu | $(B)/.test-ready
	@mkdir -p $(@D)
	$(EMU_CHECK_CXX) -c -o $@ $<

$(EMU_TESTS): %: %.o $(EMU_OBJS)
	$(CXX) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(EMU_LIBS)

$(EMU_CHECK_TESTS): %: %.o $(EMU_CHECK_OBJS)
	$(CXX) -o $@ $^ $(EMU_LIBS)

# Once with the fallback of fiber.cpp
EMU_UCONTEXT := $(patsubst %,$(B)/cuda/emu-ucontext/%.o,fiber report run)

$(EMU_UCONTEXT): $(B)/cuda/emu-ucontext/%.o: cuda/emu/%.cpp | $(B)/.test-ready
	@mkdir -p $(@D)
	$(EMU_CXX) -DEMU_UCONTEXT -c -o $@ $<

$(B)/emu/works-ucontext: $(B)/emu/works.o $(EMU_UCONTEXT) \
    $(filter-out %/fiber.o %/report.o %/run.o,$(EMU_OBJS))
	$(CXX) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(EMU_LIBS)

emu-tests: $(EMU_TESTS) $(EMU_CHECK_TESTS) $(B)/emu/works-ucontext
test: emu-tests
.PHONY: emu-tests

endif
