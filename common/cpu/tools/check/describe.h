/* The text of a finding. See describe.c. */
#ifndef CPU_TOOLS_CHECK_DESCRIBE_H
#define CPU_TOOLS_CHECK_DESCRIBE_H

#include <stdio.h>
#include "cpu/tools/check/check.h"

void describe_to(FILE *out);                    /* in place of standard error */
void describe_launch(const struct launch *l);   /* that the next findings are of */
void describe_finding(const struct finding *f); /* what is wrong */
void describe_details(const struct finding *f); /* who took part */
void describe_wait(const struct finding *f);    /* a thread of a deadlock, in place of that */
void describe_host(const struct finding *f);    /* FOUND_BY_HOST, whole */
void describe_end(void);                        /* behind the last one of a launch */

#endif
