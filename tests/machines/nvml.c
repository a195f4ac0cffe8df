/*
 * A made-up libnvidia-ml.so.1: two GPUs called CARD, of capability MAJOR.MINOR;
 * INIT, FLAGS, SECOND and FIELDS (in every question about a GPU) are statements.
 */
#include <string.h>
#include <unistd.h>

#ifndef DRIVER
#define DRIVER "580.82.07"
#define CUDA 13010
#endif

#ifndef CARD
#define CARD "NVIDIA H200"
#define MAJOR 9
#define MINOR 0
#endif

#ifndef FLAGS
#define FLAGS
#endif

#ifndef FIELDS
#define FIELDS
#endif

#ifndef EMPTY
typedef int result;
typedef void *device;
struct memory { unsigned long long total, free, used; };

result nvmlInit_v2(void) { INIT; return 0; }

#ifndef NO_FLAGS
result nvmlInitWithFlags(unsigned flags) { FLAGS; return 0; }
#endif

result nvmlShutdown(void) { return 0; }

result nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    strncpy(text, DRIVER, size);
    return 0;
}

result nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    *version = CUDA;
    return 0;
}

result nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = 2;
    return 0;
}

result nvmlDeviceGetHandleByIndex_v2(unsigned index, device *handle)
{
    if (index == 1) { SECOND; }
    *handle = (device)(long)(index + 1);
    return 0;
}

result nvmlDeviceGetName(device handle, char *text, unsigned size)
{
    FIELDS;
    strncpy(text, CARD, size);
    return 0;
}

result nvmlDeviceGetMemoryInfo(device handle, struct memory *memory)
{
    FIELDS;
    if (handle == (device)2) { return 3; } /* not supported */
    memory->total = 143771ULL << 20;
    return 0;
}

result nvmlDeviceGetCudaComputeCapability(device handle, int *major, int *minor)
{
    FIELDS;
    *major = MAJOR;
    *minor = MINOR;
    return 0;
}

const char *nvmlErrorString(result code) { return "made up"; }
#endif
