/* The learner as a MicroPython module: import edgeolk. Its memory is a variable of the firmware;
   rows are sequences of numbers, the state is bytes. */
#include <math.h>

#include "edgeolk.h"

#include "py/objstr.h"
#include "py/runtime.h"

/* Initialised at the first call; a soft reset of the interpreter does not change it. */
static void *ek_memory(void)
{
    static union {
        double aligned;
        uint8_t bytes[EK_ARENA_BYTES];
    } arena;
    static int begun;
    if (!begun)
        ek_start(&arena);
    begun = 1;
    return &arena;
}

static void ek_raise(int outcome)
{
    if (outcome == EK_BAD_ROW)
        mp_raise_ValueError(MP_ERROR_TEXT("a number that is not finite, or too large"));
    if (outcome == EK_BAD_LABEL)
        mp_raise_ValueError(MP_ERROR_TEXT("not a label of this task"));
    if (outcome == EK_BAD_STATE)
        mp_raise_ValueError(MP_ERROR_TEXT("not a state of this learner"));
    if (outcome != EK_OK)
        mp_raise_ValueError(MP_ERROR_TEXT("no row is pending"));
}

static void ek_row_of(mp_obj_t given, ek_number *x)
{
    size_t count;
    mp_obj_t *items;
    mp_obj_get_array(given, &count, &items);
    if (count != EK_FEATURES)
        mp_raise_ValueError(MP_ERROR_TEXT("wrong number of inputs"));
    for (size_t j = 0; j < count; j++)
        x[j] = (ek_number)mp_obj_get_float(items[j]);
}

static mp_obj_t ek_mp_reset(void)
{
    ek_start(ek_memory());
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_0(ek_mp_reset_object, ek_mp_reset);

static mp_obj_t ek_mp_predict(mp_obj_t row)
{
    ek_number x[EK_FEATURES + 1];
    double label = 0.0;
    ek_row_of(row, x);
    ek_raise(ek_predict(ek_memory(), x, &label));
    return mp_obj_new_float((mp_float_t)label);
}
static MP_DEFINE_CONST_FUN_OBJ_1(ek_mp_predict_object, ek_mp_predict);

static mp_obj_t ek_mp_scores(mp_obj_t row)
{
    ek_number x[EK_FEATURES + 1];
    double scores[EK_COLUMNS];
    mp_obj_t items[EK_COLUMNS];
    ek_row_of(row, x);
    ek_raise(ek_scores(ek_memory(), x, scores));
    for (int k = 0; k < EK_COLUMNS; k++)
        items[k] = mp_obj_new_float((mp_float_t)scores[k]);
    return mp_obj_new_tuple(EK_COLUMNS, items);
}
static MP_DEFINE_CONST_FUN_OBJ_1(ek_mp_scores_object, ek_mp_scores);

#if EK_LEARNS
static mp_obj_t ek_mp_learn(size_t count, const mp_obj_t *given)
{
    ek_number x[EK_FEATURES + 1];
    double score = 0.0;
    ek_row_of(given[0], x);
    ek_raise(
        ek_learn(ek_memory(), x, count > 1 ? (double)mp_obj_get_float(given[1]) : 0.0, &score));
    return mp_obj_new_float((mp_float_t)score);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(ek_mp_learn_object, 1, 2, ek_mp_learn);

#if EK_WATCHES
/* Learns a row, and the seconds since a midnight of the place; returns score, novel, alarm, event,
   rare, part, channel. */
static mp_obj_t ek_mp_watch(size_t count, const mp_obj_t *given)
{
    ek_number x[EK_FEATURES + 1];
    ek_row_of(given[0], x);
    const double seconds = count > 1 ? (double)mp_obj_get_float(given[1]) : (double)NAN;
    const ek_verdict v = ek_watch(ek_memory(), x, seconds);
    mp_obj_t items[7] = {mp_obj_new_float((mp_float_t)v.score), mp_obj_new_bool(v.novel),
                         mp_obj_new_bool(v.alarm),              mp_obj_new_bool(v.event),
                         mp_obj_new_bool(v.rare),               mp_obj_new_int(v.part),
                         mp_obj_new_int((mp_int_t)v.channel)};
    return mp_obj_new_tuple(7, items);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(ek_mp_watch_object, 1, 2, ek_mp_watch);
#endif

static mp_obj_t ek_mp_save(void)
{
    return mp_obj_new_bytes((const byte *)ek_file(ek_memory()), EK_STATE_BYTES);
}
static MP_DEFINE_CONST_FUN_OBJ_0(ek_mp_save_object, ek_mp_save);

static mp_obj_t ek_mp_load(mp_obj_t state)
{
    mp_buffer_info_t from;
    mp_get_buffer_raise(state, &from, MP_BUFFER_READ);
    ek_raise(ek_load(ek_memory(), from.buf, from.len));
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(ek_mp_load_object, ek_mp_load);
#endif

static const mp_rom_map_elem_t ek_mp_table[] = {
    {MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_@module@)},
    {MP_ROM_QSTR(MP_QSTR_reset), MP_ROM_PTR(&ek_mp_reset_object)},
    {MP_ROM_QSTR(MP_QSTR_predict), MP_ROM_PTR(&ek_mp_predict_object)},
    {MP_ROM_QSTR(MP_QSTR_scores), MP_ROM_PTR(&ek_mp_scores_object)},
#if EK_LEARNS
    {MP_ROM_QSTR(MP_QSTR_learn), MP_ROM_PTR(&ek_mp_learn_object)},
#if EK_WATCHES
    {MP_ROM_QSTR(MP_QSTR_watch), MP_ROM_PTR(&ek_mp_watch_object)},
#endif
    {MP_ROM_QSTR(MP_QSTR_save), MP_ROM_PTR(&ek_mp_save_object)},
    {MP_ROM_QSTR(MP_QSTR_load), MP_ROM_PTR(&ek_mp_load_object)},
#endif
};
static MP_DEFINE_CONST_DICT(ek_mp_globals, ek_mp_table);

const mp_obj_module_t ek_mp_module = {
    .base = {&mp_type_module},
    .globals = (mp_obj_dict_t *)&ek_mp_globals,
};
MP_REGISTER_MODULE(MP_QSTR_@module@, ek_mp_module);
