/* Words that a stream which is watched in the order of time has in the block (docs/novelty.md). */
#pragma once

#include <stdint.h>

/* Rows without an alarm after which an event is over. */
enum { OLK_EVENT_ROWS = 64 };

/* Of 64 bits each: rows that do not count, as nothing had moved yet; events; rows since the last that
   belongs to one; the verdict on the last row; what has to end before the event does. */
enum {
    OLK_IDLE_ROWS = 0,
    OLK_EVENTS = 1,
    OLK_QUIET_ROWS = 2,
    OLK_VERDICT = 3,
    OLK_HELD = 4,
    OLK_WATCH_WORDS = 5
};
/* A verdict: bit 0 novel, 1 and 2 the part, 3 and 4 what of the channel, from 8 on which channel. */

/* What has to end: bits 0 to 15 the rows that the event has lasted; then whether it is a reading that is
   off, or a flat line; whether the next row has none before it; from 32 on the channel. */
enum { OLK_MOST_LASTED = 65535, OLK_HELD_CHANNEL = 32 };
enum { OLK_HOLDS_VALUE = 65536, OLK_HOLDS_FLAT = 131072, OLK_BEGINS_ANEW = 262144 };

/* Of the numbers beside the threshold: mean and deviation of a channel before the event. */
enum { OLK_BEFORE_EVENT = 6, OLK_SCORE_NUMBERS = 8 };
