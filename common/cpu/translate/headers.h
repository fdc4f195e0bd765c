/* Headers of what the CPU device has not. See headers.c. */
#ifndef CPU_TRANSLATE_HEADERS_H
#define CPU_TRANSLATE_HEADERS_H

/*
 * text: what the preprocessor wrote; messages: what it said. Where a header of the vendor's
 * libraries was included, whether it is installed or not, the program ends with one line that names
 * the file, the line and the library.
 */
void refuse_headers(const char *text, const char *messages);

#endif
