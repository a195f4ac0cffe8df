/* A made-up cuDNN 9.1.0, as an older one that LD_LIBRARY_PATH brings. */
#include <stddef.h>

size_t cudnnGetVersion(void) { return 90100; }
