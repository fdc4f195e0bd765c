/* Finding the way in the input. See scan.c. */
#ifndef CPU_TRANSLATE_SCAN_H
#define CPU_TRANSLATE_SCAN_H

#include <stdbool.h>

bool is_word(int c); /* may it stand in a name? */
const char *word_end(const char *p);
bool word_is(const char *p, const char *end, const char *word); /* is [p, end) the word? */

const char *skip_quiet(const char *p); /* the end of the comment, string or character that starts at
                                          p; p itself if none does */
const char *skip_space(const char *p); /* and comments */

/* The first place at or after p, outside of brackets and strings, where one of the characters in
 * stops stands, or the string ">>>" if stops is NULL. */
const char *find_outside(const char *p, const char *stops);

#endif
