# The programs that run on several machines at once: the same sources as their namesakes, linked
# with MPI.  The library stays without it.
# What mpicc adds, for our own compiler; wrappers other than that of Open MPI know -show
MPI_CC    = $(shell $(MPICC) --showme:compile 2>/dev/null || $(MPICC) -show | cut -d" " -f2-)
MPI_LD    = $(shell $(MPICC) --showme:link 2>/dev/null || $(MPICC) -show | cut -d" " -f2-)
MPI_TOOLS := $(B)/bin/se-train-mpi

mpi: $(MPI_TOOLS)

$(B)/mpi/peers.o: mpi/peers.c | $(B)/.mpi-ready
	@mkdir -p $(@D)
	$(CC) $(SE_FLAGS) $(HARDEN) $(CPPFLAGS) $(CFLAGS) $(MPI_CC) -c -o $@ $<

$(B)/mpi/se-train.o: tools/se-train.c | $(B)/.build-ready
	@mkdir -p $(@D)
	$(CC) $(SE_FLAGS) $(HARDEN) $(CPPFLAGS) $(CFLAGS) -DSE_NAME='"se-train-mpi"' -c -o $@ $<

$(MPI_TOOLS): $(B)/bin/%-mpi: $(B)/mpi/%.o $(B)/mpi/peers.o $(B)/tools/train_options.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HARDEN_LD) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(LIBS) $(MPI_LD)

.PHONY: mpi
