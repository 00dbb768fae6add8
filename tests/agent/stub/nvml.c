/* A libnvidia-ml.so.1 without a GPU behind it: tests drive the unmodified pynvml with it.
 *
 * What it says stands in the file that NVML_STUB_SCRIPT names; it is read at each call, so a test changes it while the
 * agent runs. A line is one of
 *     value NAME GPU NUMBER            a number that differs from the default; GPU may be *
 *     error GPU FUNCTION CODE          that function fails for that GPU; each of both may be *
 *     hang GPU FUNCTION SECONDS        it sleeps first
 *     xid GPU CODE                     one Xid event, told once to who listens when the line comes
 * Layouts of structs: docs.nvidia.com/deploy/nvml-api.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, TIMEOUT = 10 };
enum { NODE = -1, GPUS_MAX = 16, SLICES = 7, XID_EVENT = 8, TYPE_UINT = 1 };

typedef int Return;
typedef struct { int gpu; int slice; } Device;

typedef struct { unsigned long long total, free, used; } Memory;
typedef struct { unsigned version; unsigned long long total, reserved, free, used; } MemoryV2;
typedef struct { unsigned gpu, memory; } Utilization;
typedef struct { char legacy[16]; unsigned domain, bus, device, id, subsystem; char bus_id[32]; } Pci;
typedef struct { unsigned version, sensor; int temperature; } Temperature;
typedef struct { unsigned version; int margin; } Margin;
typedef struct { unsigned version; unsigned char cluster[16]; int status; unsigned clique; unsigned char state; unsigned mask; unsigned char summary; } Fabric;
typedef struct { unsigned version; unsigned long long counts[11]; unsigned exceeded; } Sram;
typedef struct { unsigned version; unsigned flag; } Unrepairable;
typedef struct { unsigned pid; unsigned long long memory; unsigned instance, compute; } Process;
typedef struct { unsigned id, scope; long long time, latency; unsigned type; Return result; union { unsigned ui; unsigned long long ull; double d; } value; } Field;
typedef struct { Device *device; unsigned long long type, data; unsigned instance, compute; } Event;

static Device gpus[GPUS_MAX], slices[GPUS_MAX][SLICES];
static unsigned heard; /* Xid lines that were told or came too early */

static FILE *script(void) {
    const char *path = getenv("NVML_STUB_SCRIPT");
    return path ? fopen(path, "r") : NULL;
}

static int names(const char *word, int gpu) { return !strcmp(word, "*") || atoi(word) == gpu; }

static long value(const char *name, int gpu, long fallback) {
    char line[256], word[64], which[16];
    long found;
    FILE *file = script();
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "value %63s %15s %ld", word, which, &found) == 3 && !strcmp(word, name) && names(which, gpu))
            fallback = found;
    if (file) fclose(file);
    return fallback;
}

/* What the script wants of this call: it sleeps here, and the code is returned. */
static Return obey(const char *function, int gpu) {
    char line[256], verb[8], which[16], word[64];
    double number;
    Return result = SUCCESS;
    FILE *file = script();
    double pause = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%7s %15s %63s %lf", verb, which, word, &number) != 4) continue;
        if (!names(which, gpu) || (strcmp(word, "*") && strcmp(word, function))) continue;
        if (!strcmp(verb, "hang")) pause = number;
        if (!strcmp(verb, "error")) result = (Return)number;
    }
    if (file) fclose(file);
    if (pause > 0) usleep((useconds_t)(pause * 1e6));
    return result;
}

/* The number of Xid lines; of the one at `place` the GPU and the code. */
static unsigned xids(unsigned place, int *gpu, int *code) {
    char line[256];
    int one, number;
    unsigned count = 0;
    FILE *file = script();
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "xid %d %d", &one, &number) == 2 && count++ == place) *gpu = one, *code = number;
    if (file) fclose(file);
    return count;
}

#define OBEY(gpu) do { Return wanted = obey(__func__, gpu); if (wanted) return wanted; } while (0)
#define NUMBER(function, type, name, fallback) \
    Return function(Device *device, type *number) { OBEY(device->gpu); *number = (type)value(name, device->gpu, fallback); return SUCCESS; }

Return nvmlInitWithFlags(unsigned flags) {
    (void)flags;
    OBEY(NODE);
    for (int gpu = 0; gpu < GPUS_MAX; gpu++) {
        gpus[gpu] = (Device){gpu, -1};
        for (int slice = 0; slice < SLICES; slice++) slices[gpu][slice] = (Device){gpu, slice};
    }
    return SUCCESS;
}
Return nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(Return code) { static char text[32]; snprintf(text, sizeof text, "error %d", code); return text; }
Return nvmlSystemGetDriverVersion(char *text, unsigned size) { OBEY(NODE); snprintf(text, size, "580.95.05"); return SUCCESS; }
Return nvmlSystemGetNVMLVersion(char *text, unsigned size) { OBEY(NODE); snprintf(text, size, "13.580.95.05"); return SUCCESS; }
Return nvmlSystemGetCudaDriverVersion_v2(int *version) { OBEY(NODE); *version = 13000; return SUCCESS; }
Return nvmlDeviceGetCount_v2(unsigned *count) { OBEY(NODE); *count = (unsigned)value("gpus", NODE, 8); return SUCCESS; }
Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device **device) {
    OBEY((int)index);
    if (index >= (unsigned)value("gpus", NODE, 8)) return INVALID_ARGUMENT;
    *device = &gpus[index];
    return SUCCESS;
}

Return nvmlDeviceGetName(Device *device, char *text, unsigned size) {
    OBEY(device->gpu);
    snprintf(text, size, device->slice < 0 ? "NVIDIA H200" : "NVIDIA H200 MIG 1g.18gb");
    return SUCCESS;
}
Return nvmlDeviceGetUUID(Device *device, char *text, unsigned size) {
    OBEY(device->gpu);
    if (device->slice < 0) snprintf(text, size, "GPU-00000000-0000-4000-8000-%012d", device->gpu);
    else snprintf(text, size, "MIG-00000000-0000-5000-8000-%06d%06d", device->gpu, device->slice);
    return SUCCESS;
}
Return nvmlDeviceGetSerial(Device *device, char *text, unsigned size) { OBEY(device->gpu); snprintf(text, size, "16500%08d", device->gpu); return SUCCESS; }
Return nvmlDeviceGetPciInfo_v3(Device *device, Pci *pci) {
    OBEY(device->gpu);
    memset(pci, 0, sizeof *pci);
    pci->bus = 0x18u + (unsigned)device->gpu;
    snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", pci->bus);
    snprintf(pci->legacy, sizeof pci->legacy, "0000:%02X:00.0", pci->bus);
    return SUCCESS;
}
NUMBER(nvmlDeviceGetMinorNumber, unsigned, "minor", device->gpu)
NUMBER(nvmlDeviceGetNumaNodeId, int, "numa", device->gpu / 4)

Return nvmlDeviceGetMemoryInfo(Device *device, Memory *memory) {
    OBEY(device->gpu);
    memory->total = device->slice < 0 ? 150754820096ULL : 18874368000ULL;
    memory->used = (unsigned long long)value("memory_used", device->gpu, 1073741824);
    memory->free = memory->total - memory->used;
    return SUCCESS;
}
Return nvmlDeviceGetMemoryInfo_v2(Device *device, MemoryV2 *memory) {
    OBEY(device->gpu);
    memory->total = 150754820096ULL;
    memory->reserved = 500000000ULL;
    memory->used = (unsigned long long)value("memory_used", device->gpu, 1073741824);
    memory->free = memory->total - memory->used - memory->reserved;
    return SUCCESS;
}
Return nvmlDeviceGetUtilizationRates(Device *device, Utilization *rates) {
    OBEY(device->gpu);
    if (value("mig", device->gpu, 0)) return NOT_SUPPORTED;
    *rates = (Utilization){(unsigned)value("utilization", device->gpu, 77), 33};
    return SUCCESS;
}
Return nvmlDeviceGetTemperatureV(Device *device, Temperature *one) { OBEY(device->gpu); one->temperature = (int)value("temperature", device->gpu, 41); return SUCCESS; }
Return nvmlDeviceGetTemperature(Device *device, unsigned sensor, unsigned *degrees) { (void)sensor; OBEY(device->gpu); *degrees = (unsigned)value("temperature", device->gpu, 41); return SUCCESS; }
Return nvmlDeviceGetMarginTemperature(Device *device, Margin *one) { OBEY(device->gpu); one->margin = (int)value("margin", device->gpu, 44); return SUCCESS; }
NUMBER(nvmlDeviceGetPowerUsage, unsigned, "power", 683028)
NUMBER(nvmlDeviceGetEnforcedPowerLimit, unsigned, "power_limit", 700000)
NUMBER(nvmlDeviceGetPowerManagementDefaultLimit, unsigned, "power_limit_default", 700000)
Return nvmlDeviceGetClockInfo(Device *device, unsigned clock, unsigned *mhz) { (void)clock; OBEY(device->gpu); *mhz = (unsigned)value("clock", device->gpu, 1830); return SUCCESS; }
Return nvmlDeviceGetMaxClockInfo(Device *device, unsigned clock, unsigned *mhz) { (void)clock; OBEY(device->gpu); *mhz = 1980; return SUCCESS; }
NUMBER(nvmlDeviceGetCurrentClocksEventReasons, unsigned long long, "reasons", 4)
NUMBER(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long, "reasons", 4)
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, unsigned, "pcie_generation", 5)
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, unsigned, "pcie_generation_max", 5)
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, unsigned, "pcie_width", 16)
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, unsigned, "pcie_width_max", 16)
NUMBER(nvmlDeviceGetPersistenceMode, unsigned, "persistence", 1)
Return nvmlDeviceGetMigMode(Device *device, unsigned *current, unsigned *pending) {
    OBEY(device->gpu);
    *current = *pending = (unsigned)value("mig", device->gpu, 0);
    return SUCCESS;
}
Return nvmlDeviceGetGpuFabricInfoV(Device *device, Fabric *fabric) {
    OBEY(device->gpu);
    fabric->state = (unsigned char)value("fabric_state", device->gpu, 3);
    fabric->status = (int)value("fabric_status", device->gpu, 0);
    fabric->clique = 7;
    fabric->mask = (unsigned)value("fabric_mask", device->gpu, 16682);
    return SUCCESS;
}
Return nvmlDeviceGetSramEccErrorStatus(Device *device, Sram *status) { OBEY(device->gpu); status->exceeded = (unsigned)value("sram", device->gpu, 0); return SUCCESS; }
Return nvmlDeviceGetUnrepairableMemoryFlag_v1(Device *device, Unrepairable *status) { OBEY(device->gpu); status->flag = (unsigned)value("unrepairable", device->gpu, 0); return SUCCESS; }
Return nvmlDeviceGetNvLinkState(Device *device, unsigned link, unsigned *active) {
    OBEY(device->gpu);
    if (link >= (unsigned)value("links", device->gpu, 18)) return INVALID_ARGUMENT;
    *active = link >= (unsigned)value("links_down", device->gpu, 0);
    return SUCCESS;
}
Return nvmlDeviceGetComputeRunningProcesses_v3(Device *device, unsigned *count, Process *processes) {
    OBEY(device->gpu);
    unsigned there = (unsigned)value("processes", device->gpu, 1);
    if (*count < there) { *count = there; return INSUFFICIENT_SIZE; }
    for (unsigned place = 0; place < there; place++)
        processes[place] = (Process){(unsigned)value("pid", device->gpu, 4242) + place, 1ULL << 30, 0xFFFFFFFF, 0xFFFFFFFF};
    *count = there;
    return SUCCESS;
}

/* Field ids: NVML_FI_DEV_* in nvml.h. */
static const struct { unsigned id; const char *name; long fallback; } FIELDS[] = {
    {1, "ecc_mode", 1}, {2, "ecc_mode_pending", 1}, {3, "ecc_corrected", 0}, {4, "ecc_uncorrected", 0},
    {5, "ecc_life_corrected", 0}, {6, "ecc_life_uncorrected", 0}, {29, "retired_corrected", 0}, {30, "retired_uncorrected", 0},
    {31, "retired_pending", 0}, {38, "crc_flit", 0}, {45, "crc_data", 0}, {52, "replay", 0}, {59, "recovery", 0},
    {82, "memory_temperature", 52}, {94, "pcie_replays", 0}, {142, "rows_corrected", 0}, {143, "rows_uncorrected", 0},
    {144, "rows_pending", 0}, {145, "rows_failed", 0}, {230, "recovery_action", 0},
};
static Return field(int gpu, Field *one) {
    char name[32];
    snprintf(name, sizeof name, "field%u", one->id);
    Return wanted = obey(name, gpu);
    if (wanted) return wanted;
    for (size_t place = 0; place < sizeof FIELDS / sizeof *FIELDS; place++)
        if (FIELDS[place].id == one->id) {
            one->type = TYPE_UINT;
            one->value.ui = (unsigned)value(FIELDS[place].name, gpu, FIELDS[place].fallback);
            return SUCCESS;
        }
    return INVALID_ARGUMENT;
}
Return nvmlDeviceGetFieldValues(Device *device, int count, Field *values) {
    OBEY(device->gpu);
    for (int place = 0; place < count; place++) values[place].result = field(device->gpu, &values[place]);
    return SUCCESS;
}

Return nvmlDeviceGetMaxMigDeviceCount(Device *device, unsigned *count) { OBEY(device->gpu); *count = SLICES; return SUCCESS; }
Return nvmlDeviceGetMigDeviceHandleByIndex(Device *device, unsigned index, Device **slice) {
    OBEY(device->gpu);
    if (index >= (unsigned)value("slices", device->gpu, 2)) return NOT_FOUND;
    *slice = &slices[device->gpu][index];
    return SUCCESS;
}
Return nvmlDeviceGetGpuInstanceId(Device *device, unsigned *id) { OBEY(device->gpu); *id = 7u + (unsigned)device->slice; return SUCCESS; }
Return nvmlDeviceGetComputeInstanceId(Device *device, unsigned *id) { OBEY(device->gpu); *id = 0; return SUCCESS; }

Return nvmlEventSetCreate(void **set) {
    int gpu, code;
    OBEY(NODE);
    heard = xids(~0u, &gpu, &code);
    *set = &heard;
    return SUCCESS;
}
Return nvmlDeviceGetSupportedEventTypes(Device *device, unsigned long long *types) { OBEY(device->gpu); *types = XID_EVENT; return SUCCESS; }
Return nvmlDeviceRegisterEvents(Device *device, unsigned long long types, void *set) { (void)types; (void)set; OBEY(device->gpu); return SUCCESS; }
Return nvmlEventSetWait_v2(void *set, Event *event, unsigned milliseconds) {
    (void)set;
    for (unsigned waited = 0; waited <= milliseconds; waited += 20) {
        int gpu = 0, code = 0;
        OBEY(NODE);
        if (heard < xids(heard, &gpu, &code)) {
            heard++;
            *event = (Event){&gpus[gpu], XID_EVENT, (unsigned long long)code, 0xFFFFFFFF, 0xFFFFFFFF};
            return SUCCESS;
        }
        usleep(20000);
    }
    return TIMEOUT;
}
Return nvmlEventSetFree(void *set) { (void)set; return SUCCESS; }
