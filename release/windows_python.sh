#!/usr/bin/env bash
# A Python for Windows that runs here under Wine, and what wheels for it are linked with.
#   release/windows_python.sh FOLDER      (a few minutes, 1 GB; needs root for apt-get)
# leaves FOLDER/python/python.exe (CPython 3.11, numpy, pytest, hypothesis, and what the simulator and
# the estimators need: tqdm, matplotlib, jinja2, pandas, scikit-learn), FOLDER/include (Python.h with
# the pyconfig.h of Windows), FOLDER/numpy-include, FOLDER/libpython311.a and FOLDER/run, which runs a
# command of it:
#   FOLDER/run -c 'import sys; print(sys.platform)'
# The interpreter is the one that the Windows wheel of panda3d carries to freeze games with; its
# standard library is that of a Python 3.11 of this machine; numpy 2.0 is the newest whose calls
# Wine 8 knows. Wine's standard streams must be pipes: Python cannot ask for the kind of another. A
# compiled module: x86_64-w64-mingw32-gcc -shared -I include -I numpy-include -o NAME.cp311-win_amd64.pyd
# NAME.c libpython311.a -static-libgcc (or zig cc -target x86_64-windows-gnu).
set -eu
to=$(mkdir -p "$1" && cd "$1" && pwd); py=${PYTHON311:-python3.11}
"$py" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { echo "PYTHON311 must name a Python 3.11" >&2; exit 1; }
command -v gendef >/dev/null && [ -e /usr/lib/wine/wine64 ] || {
    apt-get update -qq; apt-get install -y -qq --no-install-recommends wine64 wine gcc-mingw-w64-x86-64 mingw-w64-tools dpkg-dev; }
cd "$to"; mkdir -p wheels
fetch() { "$py" -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: "$@" -d wheels; }
fetch --platform win_amd64 --python-version 311 panda3d 'numpy==2.0.2'
"$py" -m pip download -q --disable-pip-version-check --only-binary=:all: --platform win_amd64 --python-version 311 \
    'numpy==2.0.2' pytest hypothesis tqdm colorama matplotlib jinja2 'pandas<3' scikit-learn cloudpickle -d wheels
rm -rf python frozen && mkdir -p python/DLLs
"$py" -m zipfile -e wheels/panda3d-*.whl frozen && cp frozen/deploy_libs/* python/ && rm -rf frozen
mv python/*.pyd python/DLLs/; cp python/lib*.dll python/sqlite3.dll python/DLLs/
cp -r "$("$py" -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')" python/Lib
rm -rf python/Lib/site-packages python/Lib/dist-packages python/Lib/lib-dynload python/Lib/test
# Wine 8 loses an empty message in a pipe, with which a pool of processes wakes itself: none would
# ever answer. It gets a byte here; nothing reads what it says.
sed -i 's/_writer.send_bytes(b"")/_writer.send_bytes(b"0")/' python/Lib/concurrent/futures/process.py
mkdir -p python/Lib/site-packages
for w in wheels/*.whl; do case $w in *panda3d*) ;; *) "$py" -m zipfile -e "$w" python/Lib/site-packages ;; esac; done
(cd python && gendef python311.dll >/dev/null 2>&1 && x86_64-w64-mingw32-dlltool -d python311.def -l ../libpython311.a -D python311.dll)
printf '#include <wchar.h>\n__declspec(dllimport) int Py_Main(int, wchar_t **);\nint wmain(int n, wchar_t **a) { return Py_Main(n, a); }\n' >stub.c
x86_64-w64-mingw32-gcc -municode -O1 stub.c -o python/python.exe libpython311.a
if [ ! -e include/pyconfig.h ]; then
    # The header of Windows comes with CPython's source.
    sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >/etc/apt/sources.list.d/zz-source.sources
    apt-get update -qq; rm -rf source; mkdir source
    (cd source && apt-get source --download-only -qq python3.11 >/dev/null 2>&1) || true # only the .orig is needed
    rm /etc/apt/sources.list.d/zz-source.sources
    (cd source && tar xf python3.11_*.orig.tar.* --wildcards '*/Include/*' '*/PC/pyconfig.h')
    rm -rf include; cp -r source/*/Include include; cp source/*/PC/pyconfig.h include/; rm -rf source
fi
ln -sfn python/Lib/site-packages/numpy/_core/include numpy-include
# What it ends with is kept for the caller; the pipes of the shell keep order.
cat >run <<END
#!/bin/bash
set -o pipefail
export WINEPREFIX=$to/prefix WINEDEBUG=-all
# A process that dies is to end, and not to wait for a debugger.
export WINEDLLOVERRIDES=winedbg.exe=d
cat | /usr/lib/wine/wine64 $to/python/python.exe "\$@" 2>&1 | cat
END
chmod +x run
</dev/null ./run -c 'import sys, numpy, pytest; print(sys.platform, sys.version.split()[0], "numpy", numpy.__version__, "pytest", pytest.__version__)'
