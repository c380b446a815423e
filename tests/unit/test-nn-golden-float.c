/* test-nn-golden-float.c - test-nn-golden.c with the numbers of the tool */
#define SE_REAL float
#define NEAR 2e-5
#include "tests/unit/test-nn-golden.c"
