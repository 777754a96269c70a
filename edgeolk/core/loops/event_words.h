/* Words in the block of novelty in time (docs/novelty.md). */
#pragma once

#include <stdint.h>

/* Rows without an alarm after which an event is over. */
enum { OLK_EVENT_ROWS = 64 };

/* 64 bits each: rows that do not count because no channel had moved yet; events; rows since the
   last row of an event; the verdict on the last row; the state of the current event. */
enum {
    OLK_IDLE_ROWS = 0,
    OLK_EVENTS = 1,
    OLK_QUIET_ROWS = 2,
    OLK_VERDICT = 3,
    OLK_EVENT_STATE = 4,
    OLK_WATCH_WORDS = 5
};
/* A verdict: bit 0 novel, bits 1 and 2 the part, 3 and 4 the cause, from 8 on the channel. */

/* An event's state: bits 0 to 15 its rows so far; then whether it lasts as long as a reading is
   off, or as long as a line is flat; whether the previous row is unknown; from bit 32 on the
   channel. */
enum { OLK_MAX_EVENT_ROWS = 65535, OLK_EVENT_CHANNEL = 32 };
enum { OLK_EVENT_IS_VALUE = 65536, OLK_EVENT_IS_FLAT = 131072, OLK_RESTARTED = 262144 };

/* Among the score numbers: index of the channel's mean and deviation before the event; their
   number. */
enum { OLK_BEFORE_EVENT = 6, OLK_SCORE_NUMBERS = 8 };
