#!/usr/bin/env bash
# A Python that Debian has not: on musl, or free-threaded.
#   release/frozen_python.sh FOLDER cp311 musl
#   release/frozen_python.sh FOLDER cp313t gnu      (a minute or two, 300 MB)
# leaves FOLDER/bin/python with numpy, pytest and hypothesis, and FOLDER/include. It needs a Python of the same version on this
# machine (its standard library is taken), zig, and for musl mmdebstrap and root for apt-get.
# The interpreter is the one that a wheel of cx_Freeze carries to freeze programs with; frozen_python.c takes
# the place of its main. musl is that of Debian 13, since the interpreter calls what bookworm's lacks;
# zlib, which every system on musl has, is compiled from Debian's source.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=$(mkdir -p "$1" && cd "$1" && pwd); tag=$2; libc=$3
digits=${tag#cp3}; threads=${digits#"${digits%t}"}; version=3.${digits%t}
py=${PYTHON:-python$version}; zig=${ZIG:-python3.11 -m ziglang}
"$py" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$version')" || { echo "PYTHON must name a Python $version" >&2; exit 1; }
case $libc in
    # 8.0.0 is the last that brings the libraries that its interpreter on musl needs.
    musl) freezer=8.0.0 platforms="--platform musllinux_1_2_x86_64" ;;
    gnu) freezer=8.3.0 platforms="--platform manylinux_2_17_x86_64 --platform manylinux_2_28_x86_64" ;;
    *) echo "musl or gnu, not $libc" >&2; exit 1 ;;
esac
triplet=x86_64-linux-$libc
cd "$to"; lib=lib/python$version$threads; rm -rf wheels frozen loader lib bin; mkdir -p wheels "$lib/site-packages" bin
fetch() { "$py" -m pip download -q --disable-pip-version-check --only-binary=:all: $platforms --implementation cp --abi "$tag" --python-version "3${digits%t}" -d wheels "$@"; }
fetch --no-deps "cx_Freeze==$freezer"
"$py" -m zipfile -e wheels/cx_*.whl frozen && rm wheels/cx_*.whl
mv frozen/cx_Freeze/bases/console-cpython-"${tag#cp}-$triplet" interpreter && chmod +x interpreter
[ ! -d frozen/cx_Freeze/bases/lib ] || mv frozen/cx_Freeze/bases/lib/* lib/
mv frozen/cx_Freeze/bases/lib-dynload "$lib/" && rm -rf frozen
read -r stdlib include <<END
$("$py" -c 'import sysconfig; print(sysconfig.get_path("stdlib"), sysconfig.get_path("include"))')
END
tar -C "$stdlib" --exclude=site-packages --exclude=dist-packages --exclude=lib-dynload --exclude=./test \
    --exclude=__pycache__ --exclude='config-3*' -c . | tar -C "$lib" -x
# This machine's, with the names that modules have there.
sed "s/x86_64-linux-gnu/$triplet/g; s/cpython-3${digits%t}-/cpython-3$digits-/g; s/\('Py_GIL_DISABLED':\) 0/\1 ${#threads}/" "$lib"/_sysconfigdata_*.py >lib/part
rm "$lib"/_sysconfigdata_*.py && mv lib/part "$lib/_sysconfigdata_${threads}_linux_$triplet.py"
fetch numpy pytest hypothesis
for w in wheels/*.whl; do "$py" -m zipfile -e "$w" "$lib/site-packages"; done
start="LD_PRELOAD=$to/lib/start.so exec -a \"\$0\" $to/interpreter"
if [ "$libc" = musl ]; then
    mmdebstrap --quiet --variant=extract --aptopt='Acquire::Check-Valid-Until "false"' --arch=amd64 --include=musl \
        trixie loader "deb ${MIRROR:-http://deb.debian.org/debian} trixie main"
    cp -L loader/usr/lib/ld-musl-x86_64.so.1 lib/libc.musl-x86_64.so.1 && rm -rf loader
    chmod +x lib/libc.musl-x86_64.so.1
    if [ ! -e libz.so.1 ]; then
        sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >/etc/apt/sources.list.d/zz-source.sources
        apt-get update -qq; rm -rf source; mkdir source
        (cd source && apt-get source --download-only -qq zlib >/dev/null 2>&1) || true # only the .orig is needed
        rm /etc/apt/sources.list.d/zz-source.sources
        (cd source && tar xf zlib_*.orig.tar.* --strip-components=1 &&
            $zig cc -target x86_64-linux-musl -shared -fPIC -O2 -s -w -DHAVE_UNISTD_H -Wl,-soname,libz.so.1 \
                adler32.c crc32.c deflate.c inffast.c inflate.c inftrees.c trees.c zutil.c compress.c uncompr.c -o ../libz.so.1)
        rm -rf source
    fi
    cp libz.so.1 lib/
    start="exec $to/lib/libc.musl-x86_64.so.1 --argv0 \"\$0\" --preload $to/lib/start.so --library-path $to/lib $to/interpreter"
fi
# Headers of a Python with the lock, told otherwise where there is none.
rm -rf include; cp -r "$include" include
[ -z "$threads" ] || echo '#define Py_GIL_DISABLED 1' >>include/pyconfig.h
$zig cc -target "$triplet" -shared -fPIC -O1 -s -Iinclude -o lib/start.so "$here/frozen_python.c"
printf '#!/bin/bash\n%s "$@"\n' "$start" >bin/python
chmod +x bin/python
bin/python -c 'import sys, numpy, pytest; print(sys.version.split()[0], "numpy", numpy.__version__, "pytest", pytest.__version__)'
