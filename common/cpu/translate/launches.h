/* Launches. See launches.c. */
#ifndef CPU_TRANSLATE_LAUNCHES_H
#define CPU_TRANSLATE_LAUNCHES_H

const char *translate_launch(const char *p); /* p stands at <<<. The place behind >>> */

#endif
