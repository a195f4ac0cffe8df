/*
 * A made-up libnvidia-ml.so.1: one GPU in the state that the macros say (see
 * __init__.py here). With HANGS it never answers, as a driver that is stuck does.
 */
#include <string.h>
#include <unistd.h>

typedef int result;
typedef void *device;
struct memory { unsigned long long total, free, used; };
struct memory2 { unsigned version; unsigned long long total, reserved, free, used; };
struct rates { unsigned gpu, memory; };
struct pci { char old[16]; unsigned domain, bus, device, id, sub; char address[32]; };

#ifdef HANGS
#define WAIT for (;;) sleep(3600)
#else
#define WAIT
#endif
#define NUMBER(call, type, value) \
    result call(device handle, type *out) { *out = value; return 0; }

result nvmlInit_v2(void) { WAIT; return 0; }
result nvmlInitWithFlags(unsigned flags) { WAIT; return 0; }
result nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(result code) { return "made up"; }

result nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    strncpy(text, DRIVER, size);
    return 0;
}

result nvmlSystemGetCudaDriverVersion_v2(int *version) { *version = CUDA; return 0; }
result nvmlDeviceGetCount_v2(unsigned *count) { *count = 1; return 0; }

result nvmlDeviceGetHandleByIndex_v2(unsigned index, device *handle)
{
    *handle = (device)1;
    return index ? 2 : 0;
}

result nvmlDeviceGetName(device handle, char *text, unsigned size)
{
    strncpy(text, NAME, size);
    return 0;
}

result nvmlDeviceGetUUID(device handle, char *text, unsigned size)
{
    strncpy(text, UUID, size);
    return 0;
}

result nvmlDeviceGetMemoryInfo(device handle, struct memory *memory)
{
    memory->total = (unsigned long long)MIB << 20;
    memory->used = (USED_MIB + 500ULL) << 20; /* with what the driver reserves */
    return 0;
}

result nvmlDeviceGetMemoryInfo_v2(device handle, struct memory2 *memory)
{
    memory->total = (unsigned long long)MIB << 20;
    memory->reserved = 500ULL << 20;
    memory->used = (unsigned long long)USED_MIB << 20;
    return 0;
}

result nvmlDeviceGetCudaComputeCapability(device handle, int *major, int *minor)
{
    *major = 9;
    *minor = 0;
    return 0;
}

result nvmlDeviceGetUtilizationRates(device handle, struct rates *rates)
{
    rates->gpu = BUSY;
    rates->memory = 0;
    return 0;
}

result nvmlDeviceGetTotalEccErrors(device handle, int kind, int counter, unsigned long long *out)
{
    *out = ECC;
    return 0;
}

result nvmlDeviceGetRemappedRows(device handle, unsigned *corrected, unsigned *uncorrected,
    unsigned *pending, unsigned *failed)
{
    *corrected = *uncorrected = *pending = *failed = 0;
    return 0;
}

result nvmlDeviceGetMigMode(device handle, unsigned *current, unsigned *pending)
{
    *current = *pending = 0;
    return 0;
}

result nvmlDeviceGetPciInfo_v3(device handle, struct pci *pci)
{
    memset(pci, 0, sizeof *pci);
    strcpy(pci->address, ADDRESS);
    return 0;
}

result nvmlDeviceGetTemperature(device handle, int sensor, unsigned *out)
{
    *out = TEMPERATURE;
    return 0;
}

result nvmlDeviceGetClockInfo(device handle, int kind, unsigned *out) { *out = CLOCK; return 0; }

result nvmlDeviceGetPcieThroughput(device handle, int counter, unsigned *out)
{
    *out = 0;
    return 0;
}

result nvmlDeviceGetComputeRunningProcesses_v3(device handle, unsigned *count, void *infos)
{
    *count = 0;
    return 0;
}

NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, unsigned, GENERATION)
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, unsigned, GENERATION)
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, unsigned, WIDTH)
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, unsigned, WIDTH)
NUMBER(nvmlDeviceGetPersistenceMode, unsigned, PERSISTENCE)
NUMBER(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long, REASONS)
NUMBER(nvmlDeviceGetCurrentClocksEventReasons, unsigned long long, REASONS)
NUMBER(nvmlDeviceGetPerformanceState, int, PSTATE)
NUMBER(nvmlDeviceGetPowerUsage, unsigned, POWER)
