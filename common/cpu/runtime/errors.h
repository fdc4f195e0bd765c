/* The last error, and what exactly it was. See errors.c. */
#ifndef CPU_RUNTIME_ERRORS_H
#define CPU_RUNTIME_ERRORS_H

#include <cuda_runtime_api.h>

/* Make it the last error, unless it is cudaSuccess. Returns it. */
cudaError_t error_keep(cudaError_t error);

/* The same, with a line that cudaGetErrorString gives: what is wrong, in place of what class. */
cudaError_t error_say(cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* This thread's last error, and to put it back: what a call of the driver API said of an error is
 * then kept, and its error is not the runtime's. */
cudaError_t error_last(void);
void error_put_back(cudaError_t last);

/* From now on: at the end of the program a line says what failed, if nobody asked. */
void errors_at_exit(void);

/* A launch was refused with the error that was kept last. When nobody asks for it until the program
 * ends, a line on standard error says so then; also of a kernel's failure. */
void error_of_launch(cudaError_t error, const char *kernel);

#endif
