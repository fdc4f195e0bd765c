/*
 * Which code runs on the device: functions with its qualifiers, members of classes that have them
 * in the class, and lambdas and local classes in functions of the host.
 */
#include "cpu/translate/device_code.h"
#include "cpu/translate/files.h"

bool device_by_default;

static struct source *s;
static struct units *all;

static const struct token *at(int i)
{
    return &s->token[i < 0 ? s->count : i];
}

static void mark_device(int from, int to)
{
    for (int i = from; i < to; i++)
        s->token[i].device = true;
}

/* A lambda for the device, or a function of a local class, in host code: marked up to its end. */
static int local_device_code(int i)
{
    for (int k = i; k < s->count && !is(at(k), ";") && !is(at(k), "}"); k++) {
        int end = at(k)->match;

        if (end > k && is(at(k), "{")) {
            mark_device(i, end + 1);
            return end;
        }
        if (end > k)
            k = end;
    }
    return i;
}

/* A member function with a body outside of its class has the qualifiers that it has there. */
static void find_members(void)
{
    for (int i = 0; i < all->count; i++) {
        struct unit *u = &all->at[i];

        if (u->open < 0 || u->device || u->global || !is(at(u->name - 1), "::"))
            continue;
        for (int k = 0; k < i; k++) {
            const struct unit *member = &all->at[k];

            if (member->in_class && member->kind == FUNCTION && member->device &&
                at(member->name)->length == at(u->name)->length &&
                !memcmp(at(member->name)->at, at(u->name)->at, at(u->name)->length)) {
                u->device = true;
                u->host = member->host;
            }
        }
    }
}

void mark_device_code(struct source *source, struct units *units)
{
    s = source;
    all = units;
    find_members();
    for (int i = 0; i < all->count; i++)
        all->at[i].device |= device_by_default || file_at(at(all->at[i].from)->file)->device;
    for (int i = 0; i < all->count; i++)
        if (all->at[i].kind == FUNCTION && (all->at[i].global || all->at[i].device))
            mark_device(all->at[i].from, all->at[i].to);
    for (int i = 0; i < all->count; i++) {
        const struct unit *u = &all->at[i];

        for (int k = u->open < 0 ? u->from : u->open; k < u->to; k++)
            if (is(at(k), "__device__") && !s->token[k].device &&
                (u->open >= 0 || is(at(k - 1), "]") || is(at(k - 2), "]")))
                k = local_device_code(k);
    }
}
