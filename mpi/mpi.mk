# The programs that run on several machines at once, linked with MPI; se-train-mpi is the source of
# se-train.  The library stays without it.
# What mpicc adds, for our own compiler; wrappers other than that of Open MPI know -show
MPI_CC    = $(shell $(MPICC) --showme:compile 2>/dev/null || $(MPICC) -show | cut -d" " -f2-)
MPI_LD    = $(shell $(MPICC) --showme:link 2>/dev/null || $(MPICC) -show | cut -d" " -f2-)
MPI_TOOLS := $(B)/bin/se-train-mpi $(B)/bin/se-tree-mpi

mpi: $(MPI_TOOLS)

# A static pattern: without .mpi-ready, the rule of all other objects would be taken
$(patsubst %.c,$(B)/%.o,$(wildcard mpi/*.c)): $(B)/mpi/%.o: mpi/%.c | $(B)/.mpi-ready
	@mkdir -p $(@D)
	$(CC) $(SE_FLAGS) $(HARDEN) $(CPPFLAGS) $(CFLAGS) $(MPI_CC) -c -o $@ $<

$(B)/mpi/se-train.o: tools/se-train.c | $(B)/.build-ready
	@mkdir -p $(@D)
	$(CC) $(SE_FLAGS) $(HARDEN) $(CPPFLAGS) $(CFLAGS) -DSE_NAME='"se-train-mpi"' -c -o $@ $<

$(B)/bin/se-train-mpi: $(B)/mpi/se-train.o $(B)/mpi/peers.o $(B)/tools/train_options.o
$(B)/bin/se-tree-mpi: $(B)/mpi/se-tree-mpi.o $(B)/mpi/team.o

$(MPI_TOOLS): $(B)/mpi/launch.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HARDEN_LD) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(LIBS) $(MPI_LD)

.PHONY: mpi
