/* The main of a Python, in place of that of an interpreter which would start a frozen program.

   The loader takes this library before musl's: __libc_start_main gets another main. The interpreter
   has no Py_RunMain, so what -c, -m or a file asks for is run by Python's own runpy. */

#define _GNU_SOURCE
#include <Python.h>

#include <dlfcn.h>
#include <stdlib.h>

typedef int (*program)(int, char **, char **);
typedef int (*starter)(program, int, char **, void (*)(void), void (*)(void), void (*)(void));

static const char RUN[] =
    "def run(command, module, file):\n"
    "    import os, runpy, sys\n"
    "    if not sys.flags.safe_path:\n"
    "        here = os.getcwd() if module else os.path.dirname(os.path.abspath(file)) if file else ''\n"
    "        sys.path.insert(0, here)\n"
    "    if module is not None:\n"
    "        return runpy._run_module_as_main(module)\n"
    "    if file is not None:\n"
    "        with open(file, 'rb') as opened:\n"
    "            command = opened.read()\n"
    "    names = sys.modules['__main__'].__dict__\n"
    "    names.pop('run')\n"
    "    if file is not None:\n"
    "        names['__file__'] = file\n"
    "    text = sys.stdin.read() if command is None else command\n"
    "    exec(compile(text, file or '<string>', 'exec'), names)\n";

static PyObject *given(const wchar_t *text)
{
    return text != NULL ? PyUnicode_FromWideChar(text, -1) : Py_NewRef(Py_None);
}

static void hold(PyStatus status)
{
    if (PyStatus_Exception(status))
        Py_ExitStatusException(status);
}

static int python(int count, char **words, char **environment)
{
    PyConfig config;
    (void)environment;
    PyConfig_InitPythonConfig(&config);
    hold(PyConfig_SetBytesArgv(&config, count, words));
    hold(PyConfig_Read(&config));
    hold(Py_InitializeFromConfig(&config));
    int failed = PyRun_SimpleString(RUN) != 0;
    if (!failed) {
        PyObject *names = PyModule_GetDict(PyImport_AddModule("__main__"));
        PyObject *done = PyObject_CallFunction(
            PyDict_GetItemString(names, "run"), "NNN", given(config.run_command),
            given(config.run_module), given(config.run_filename));
        failed = done == NULL;
        if (failed)
            PyErr_Print(); /* ends here if it is SystemExit */
        Py_XDECREF(done);
    }
    PyConfig_Clear(&config);
    return Py_FinalizeEx() < 0 ? 120 : failed;
}

int __libc_start_main(program frozen, int count, char **words, void (*first)(void),
                      void (*last)(void), void (*loaded)(void))
{
    starter next = (starter)dlsym(RTLD_NEXT, "__libc_start_main");
    (void)frozen;
    unsetenv("LD_PRELOAD"); /* other programs that this one starts have a main of their own */
    return next(python, count, words, first, last, loaded);
}
