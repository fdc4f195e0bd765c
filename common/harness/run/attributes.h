/*
 * --attributes: what the device says of itself, for the machine file.
 */
#ifndef ATTRIBUTES_H
#define ATTRIBUTES_H

#include <stdio.h>

/* Print the device's attributes as one JSON object: the part "device" of a machine file. 0, or
 * BAD_DEVICE after one line if there is no device that works. */
int attributes_print(FILE *out);

#endif
