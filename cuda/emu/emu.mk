# emu.mk - the test-only CUDA emulator, in two builds; never installed
#
# EMU_OBJS with CUDA sources compiled by EMU_CXX: the plain build, with a sanitizer if CFLAGS has
# one.  EMU_CHECK_OBJS with sources compiled by EMU_CHECK_CXX: every load and store of a kernel is
# checked for races and uninitialised memory.  Link both with EMU_LIBS.

ifndef EMU_FLAGS
EMU_WARN  := $(filter-out -Wstrict-prototypes -Wmissing-prototypes,$(WARN)) -Wmissing-declarations
EMU_FLAGS := -std=gnu++17 -D_GNU_SOURCE -DSE_CUDA_EMULATOR -I. -Icuda/emu -MMD -MP -fPIC \
             -fvisibility=hidden $(EMU_WARN)
EMU_CHECK_OPT := -O1 -g -fno-omit-frame-pointer -DSE_EMU_CHECK
EMU_CXX   := $(CXX) -x c++ $(EMU_FLAGS) $(CFLAGS)
EMU_CHECK_CXX := $(CXX) -x c++ $(EMU_FLAGS) $(EMU_CHECK_OPT) -fsanitize=thread
EMU_LIBS  := -lopenblas -lm -lpthread -ldl

EMU_SOURCES := $(sort $(wildcard cuda/emu/*.cpp))
EMU_OBJS := $(patsubst %.cpp,$(B)/%.o,$(filter-out cuda/emu/check.cpp,$(EMU_SOURCES)))
EMU_CHECK_OBJS := $(patsubst cuda/emu/%.cpp,$(B)/cuda/emu-check/%.o,$(EMU_SOURCES))

$(EMU_OBJS): $(B)/%.o: %.cpp | $(B)/.build-ready
	@mkdir -p $(@D)
	$(EMU_CXX) -c -o $@ $<

$(EMU_CHECK_OBJS): $(B)/cuda/emu-check/%.o: cuda/emu/%.cpp | $(B)/.build-ready
	@mkdir -p $(@D)
	$(CXX) $(EMU_FLAGS) $(EMU_CHECK_OPT) -O2 -c -o $@ $<

endif
