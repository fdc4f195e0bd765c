/* The program's __device__ and __constant__ variables, of which each device has its own. See
 * device_variables.c. */
#ifndef CPU_RUNTIME_DEVICE_VARIABLES_H
#define CPU_RUNTIME_DEVICE_VARIABLES_H

/* The device's copy of a variable of the program. The same address where there is only one device,
 * or where the variable exists once for all: a managed one, say. */
void *device_variable(const void *symbol, int device);

/* The names of variables mean the device's copies from here on. No kernel runs. */
void device_variables_select(int device);

/* A new file in memory; where the system refuses that, as the sandbox of steps/practice --grade
 * does, one without a name. -1 where there is neither. */
int memory_file(const char *name);

#endif
