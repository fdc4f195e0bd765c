/*
 * What this build is. The build system defines PROJECT_VERSION, PROJECT_COMMIT and the backend.
 */
#ifndef VERSION_H
#define VERSION_H

const char *project_version(void);
const char *project_commit(void); /* "" where unknown */
const char *backend_name(void);   /* "cuda" or "cpu" */

#endif
