/* What --explore prints of an execution. See tell.c. */
#ifndef CPU_TOOLS_EXPLORE_TELL_H
#define CPU_TOOLS_EXPLORE_TELL_H

#include "cpu/tools/explore/drive.h"

/* An execution as a story: its events in an order in which they could have been done, so that as
 * few threads as possible follow each other. */
struct story {
    struct event *event; /* in that order; `from` of a read or a write as of graph_save */
    uint32_t *was;       /* the number of each in the graph */
    uint32_t *older;     /* struct step; of each */
    uint32_t count;
    uint32_t turns;   /* how often another thread goes on */
    uint32_t race[2]; /* numbers in the story; NO_EVENT: no race */
};

/* Of drive_search.g; of a race only what comes before it. */
void story_make(struct story *s, const uint32_t race[2]);
void story_free(struct story *s);
void story_print(const struct story *s, const struct launch *l);

/* The story as text for --explore=replay:TEXT, and back: -1 where the text is none. */
void story_write_steps(const struct story *s);
int steps_parse(const char *text, struct step **steps, size_t *count);

const char *tell_line(char *text, size_t room, uintptr_t site);
const char *tell_thread(char *text, size_t room, unsigned number, const struct launch *l);

#endif
