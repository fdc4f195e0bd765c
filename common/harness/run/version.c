#include "harness/run/version.h"

#include "commit.h"

#ifndef PROJECT_VERSION
#define PROJECT_VERSION "unknown"
#endif
#ifndef PROJECT_COMMIT
#define PROJECT_COMMIT ""
#endif

const char *project_version(void)
{
    return PROJECT_VERSION;
}

const char *project_commit(void)
{
    return PROJECT_COMMIT;
}

const char *backend_name(void)
{
#ifdef BACKEND_CPU
    return "cpu";
#else
    return "cuda";
#endif
}
