# cuda.mk - the CUDA plugin, by nvcc for GPUs and by the C++ compiler for the tests' emulator
#
# make cuda       build/libse-cuda.so; without nvcc a message, and nothing fails
# make check-cuda the same, and no kernel of any architecture may spill
# make test-gpu   the tests of the plugin on a real device; skips without one.  GPU_PLUGIN names
#                 another plugin to test in its place.

NVCC        := $(shell command -v nvcc 2>/dev/null)
CUDA_PLUGIN := $(B)/libse-cuda.so
# The tests load these two in its place.
EMU_PLUGIN  := $(B)/emu/libse-cuda.so
CHECK_PLUGIN := $(B)/emu-check/libse-cuda.so

CUDA_SOURCES := $(sort $(wildcard cuda/*.cu))
CUDA_OBJS   := $(CUDA_SOURCES:%.cu=$(B)/%.o)
CUDA_EMU_OBJS := $(CUDA_SOURCES:cuda/%.cu=$(B)/cuda/by-emu/%.o)
CUDA_CHECK_OBJS := $(CUDA_SOURCES:cuda/%.cu=$(B)/cuda/by-check/%.o)

# Machine code for every architecture from 7.5 on that this nvcc knows, PTX for those to come
CUDA_ARCHS  ?= $(if $(NVCC),$(shell $(NVCC) --list-gpu-code | sed -n 's/^sm_\([0-9]*\)$$/\1/p' | \
               awk '$$1 >= 75' | sort -n))
CUDA_GENCODE = $(foreach a,$(CUDA_ARCHS),-gencode arch=compute_$a,code=sm_$a) \
               -gencode arch=compute_$(lastword $(CUDA_ARCHS)),code=compute_$(lastword $(CUDA_ARCHS))
CUDA_TOOLKIT = $(shell $(NVCC) --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
NVCC_FLAGS  = -std=c++17 -O3 -lineinfo -Werror all-warnings -Xptxas -v -I. $(CUDA_GENCODE) \
              -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra,-Werror --threads 2 \
              -DSE_CUDA_TOOLKIT='"$(CUDA_TOOLKIT)"' \
              -DSE_CUDA_ARCHS='"sm_$(firstword $(CUDA_ARCHS)) to sm_$(lastword $(CUDA_ARCHS))"'

ifeq ($(NVCC),)
cuda:
	@echo "there is no nvcc here (CUDA 12 or 13): the plugin is not built; the tools run without"
else
cuda: $(CUDA_PLUGIN)
endif

# What ptxas says of each kernel and architecture
check-cuda: cuda
	@if [ -n "$(NVCC)" ]; then cuda/usage --check $(CUDA_OBJS:%=%.log) > $(B)/cuda/usage.tsv && \
	    echo "$(B)/cuda/usage.tsv: $$(wc -l < $(B)/cuda/usage.tsv) kernels, none spills"; fi

# What ptxas says of registers and spills is kept beside the object.
$(CUDA_OBJS): $(B)/%.o: %.cu $(wildcard cuda/*.h) common/device/plugin.h
	@mkdir -p $(@D)
	$(NVCC) $(NVCC_FLAGS) -c -o $@ $< 2> $@.log || { cat $@.log >&2; exit 1; }

# The runtime is linked in; cuBLAS is found where the toolkit or the system has it.
$(CUDA_PLUGIN): $(CUDA_OBJS)
	$(NVCC) -shared -cudart static -o $@ $^ -lcublas -Xlinker --as-needed \
	    -Xlinker -rpath,$(abspath $(dir $(NVCC))../lib64)

$(CUDA_EMU_OBJS): $(B)/cuda/by-emu/%.o: cuda/%.cu | $(B)/.test-ready
	@mkdir -p $(@D)
	$(EMU_CXX) -c -o $@ $<

$(CUDA_CHECK_OBJS): $(B)/cuda/by-check/%.o: cuda/%.cu | $(B)/.test-ready
	@mkdir -p $(@D)
	$(EMU_CHECK_CXX) -c -o $@ $<

$(EMU_PLUGIN): $(CUDA_EMU_OBJS) $(EMU_OBJS)
	@mkdir -p $(@D)
	$(CXX) $(CFLAGS) -shared -o $@ $^ $(EMU_LIBS)

$(CHECK_PLUGIN): $(CUDA_CHECK_OBJS) $(EMU_CHECK_OBJS)
	@mkdir -p $(@D)
	$(CXX) -shared -o $@ $^ $(EMU_LIBS)

# Unit tests of the plugin load it when they run.
$(filter $(B)/unit/test-cuda%,$(UNITS)): | $(EMU_PLUGIN)

emu-plugins: $(EMU_PLUGIN) $(CHECK_PLUGIN)
test: emu-plugins

GPU_PLUGIN ?= $(CUDA_PLUGIN)
test-gpu: all units $(if $(filter $(CUDA_PLUGIN),$(GPU_PLUGIN)),cuda) | $(B)/.test-ready
	SE_BIN=$(abspath $(B)/bin) SE_BUILD=$(abspath $(B)) SE_TEST_GPU=$(abspath $(GPU_PLUGIN)) \
	    bats tests/cuda.bats

.PHONY: cuda check-cuda emu-plugins test-gpu
