/* The files that a preprocessed source is made of. See files.c. */
#ifndef CPU_TRANSLATE_FILES_H
#define CPU_TRANSLATE_FILES_H

#include <stdbool.h>

/* What is known of a file from the source's line markers. */
struct file {
    const char *name;
    bool library; /* a system header */
    bool system;  /* one without device code: passed as it is */
    bool ours;    /* a header of the CPU device */
    bool device;  /* of CUB: all of its functions are for kernels, though no word says so */
    int from;     /* the file that includes it, and the line; -1: none */
    int line;
};

struct marker {
    int line, file;
    bool enters, system;
};

/* Reads the marker `# LINE "FILE" FLAGS` that p stands at into m; false if it is none. */
bool read_marker(const char *p, struct marker *m);

/* Where our headers are, for a source that has no marker of them. */
void own_headers_in(const char *directory);

/* Finds out what each file of the source is. */
void classify_files(const char *text);

const struct file *file_at(int file);
int file_count(void);

#endif
