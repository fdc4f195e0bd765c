/* Ranges and marks for a profiler's timeline: there is none here, so they do nothing. */
#ifndef NVTOOLSEXT_H
#define NVTOOLSEXT_H

#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_COLOR_UNKNOWN 0
#define NVTX_COLOR_ARGB 1
#define NVTX_MESSAGE_UNKNOWN 0
#define NVTX_MESSAGE_TYPE_ASCII 1
#define NVTX_PAYLOAD_UNKNOWN 0
#define NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 1
#define NVTX_PAYLOAD_TYPE_INT64 2
#define NVTX_PAYLOAD_TYPE_DOUBLE 3
#define NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 4
#define NVTX_PAYLOAD_TYPE_INT32 5
#define NVTX_PAYLOAD_TYPE_FLOAT 6

typedef uint64_t nvtxRangeId_t;

/* What a timeline shows of a range: its name, colour and number. */
typedef struct {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    union {
        const char *ascii;
    } message;
} nvtxEventAttributes_t;

static inline int nvtxRangePushA(const char *name)
{
    (void)name;
    return 0;
}

static inline int nvtxRangePush(const char *name)
{
    return nvtxRangePushA(name);
}

static inline int nvtxRangePushEx(const nvtxEventAttributes_t *range)
{
    (void)range;
    return 0;
}

static inline nvtxRangeId_t nvtxRangeStartA(const char *name)
{
    (void)name;
    return 0;
}

static inline nvtxRangeId_t nvtxRangeStart(const char *name)
{
    return nvtxRangeStartA(name);
}

static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *range)
{
    (void)range;
    return 0;
}

static inline void nvtxRangeEnd(nvtxRangeId_t id)
{
    (void)id;
}

static inline int nvtxRangePop(void)
{
    return 0;
}

static inline void nvtxMarkA(const char *name)
{
    (void)name;
}

static inline void nvtxMarkEx(const nvtxEventAttributes_t *mark)
{
    (void)mark;
}

static inline void nvtxNameOsThreadA(uint32_t thread, const char *name)
{
    (void)thread;
    (void)name;
}

static inline void nvtxMark(const char *name)
{
    (void)name;
}

#endif
