/* A plugin of qemu-user: counts instructions between two calls of close(0x5eed), and writes each count
   to standard error as a line. The declarations are those of qemu's plugin interface, version 1;
   Debian has no header of it. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#define MARK 0x5eed

typedef uint64_t plugin;
struct qemu_plugin_tb;
typedef void (*on_block)(plugin, struct qemu_plugin_tb *);
typedef void (*on_syscall)(plugin, unsigned, int64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                           uint64_t, uint64_t, uint64_t, uint64_t);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin, on_block);
void qemu_plugin_register_vcpu_syscall_cb(plugin, on_syscall);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int, void *, uint64_t);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

int qemu_plugin_version = 1;
static uint64_t count;

static void block(plugin id, struct qemu_plugin_tb *tb)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, &count, qemu_plugin_tb_n_insns(tb));
}

static void syscall_made(plugin id, unsigned cpu, int64_t number, uint64_t a, uint64_t b, uint64_t c,
                         uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
    (void)id, (void)cpu, (void)number, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    if ((uint32_t)a == MARK) {
        fprintf(stderr, "counted %" PRIu64 "\n", count);
        count = 0;
    }
}

int qemu_plugin_install(plugin id, const void *machine, int argc, char **argv)
{
    (void)machine, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, block);
    qemu_plugin_register_vcpu_syscall_cb(id, syscall_made);
    return 0;
}
