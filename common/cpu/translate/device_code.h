/* Which code runs on the device. See device_code.c. */
#ifndef CPU_TRANSLATE_DEVICE_CODE_H
#define CPU_TRANSLATE_DEVICE_CODE_H

#include "cpu/translate/units.h"

/* Marks its tokens, and the member functions that have their qualifiers in the class alone. */
void mark_device_code(struct source *s, struct units *u);

/* Functions without a qualifier are the device's: NVRTC's option -default-device. */
extern bool device_by_default;

#endif
