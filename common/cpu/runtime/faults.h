/* Crashes inside a kernel. See faults.c. */
#ifndef CPU_RUNTIME_FAULTS_H
#define CPU_RUNTIME_FAULTS_H

void faults_catch(void); /* from the host's thread, before a kernel runs; once is enough */

#endif
