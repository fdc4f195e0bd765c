/*
 * The little JSON that --describe and --batch print.
 */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>

/* A string with its quotes, or null for NULL. */
void json_text(FILE *out, const char *text);

/* A number with all its digits; null for NaN. */
void json_number(FILE *out, double value);

/* The same where NaN is a value: "nan", "inf" and "-inf" as strings. */
void json_value(FILE *out, double value);

/* An array of strings: the parts of text between separators; of numbers if they are. NULL: empty.
 */
void json_words(FILE *out, const char *text, char separator);
void json_numbers(FILE *out, const char *text);

#endif
