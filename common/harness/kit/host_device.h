/*
 * What stands before a function that host and device both run.
 */
#ifndef HOST_DEVICE_H
#define HOST_DEVICE_H

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

#endif
