"""apply_names.py TREE TABLE.tsv...: renames identifiers and files by tables of `old<TAB>new<TAB>where`.

where: `everywhere` (whole words in every text file), `code` (outside of comments and strings, in every source), comma-separated
globs (the same, in these files), or `file` (a path; its dotted name follows).
"""
import fnmatch, re, subprocess, sys
from pathlib import Path
tree = Path(sys.argv[1]); tables = sys.argv[2:]
git = lambda *a: subprocess.run(["git", "-C", str(tree), *a], capture_output=True, text=True, check=True).stdout
SKIP = re.compile(r"(\.csv|\.xz|\.gz|\.png|\.svg|\.bin|\.npz|\.ekm|\.model|golden/|LICENSE)")
SRC = (".py", ".pyx", ".pxd", ".pyi", ".h", ".c")
PY = re.compile(r'''(?P<c>\#[^\n]*)|(?P<s>(?P<p>[rRbBuUfF]{0,2})(?P<q>"""|\'\'\'|"|\')(?:\\.|(?!(?P=q)).)*?(?P=q))''', re.S)
C = re.compile(r'''(?P<c>/\*.*?\*/|//[^\n]*|^[ \t]*\#[ \t]*include[^\n]*)|(?P<s>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')''', re.S | re.M)
def code_sub(text, pattern, repl, suffix):
    scan = C if suffix in (".h", ".c") else PY
    out, at = [], 0
    for m in scan.finditer(text):
        out.append(pattern.sub(repl, text[at:m.start()]))
        body = m.group(0)
        if scan is PY and m.group("s") and "f" in m.group("p").lower():
            body = re.sub(r"(?<!\{)\{(?!\{)[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", lambda x: pattern.sub(repl, x.group(0)), body)
        out.append(body); at = m.end()
    out.append(pattern.sub(repl, text[at:]))
    return "".join(out)
every, code, globs, files = {}, {}, [], []
for table in tables:
    for n, line in enumerate(Path(table).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"): continue
        parts = [p.strip() for p in line.split("\t")]
        if len(parts) != 3: print("bad line", table, n, line); continue
        old, new, where = parts
        if where == "file": files.append((old, new))
        elif where == "everywhere":
            if every.get(old, new) != new: print("two names", old, every[old], new)
            every[old] = new
        elif where == "code":
            code[old] = new
        else: globs.append((old, new, [g.strip() for g in where.split(",")]))
paths = [p for p in git("ls-files").split("\n") if p and not SKIP.search(p)]
def words(d): return re.compile(r"(?<![\w.])(?:%s)(?!\w)" % "|".join(map(re.escape, sorted(d, key=len, reverse=True)))) if d else None
def words_any(d): return re.compile(r"(?<!\w)(?:%s)(?!\w)" % "|".join(map(re.escape, sorted(d, key=len, reverse=True)))) if d else None
we, wc = words_any(every), words_any(code)
used = set()
for p in paths:
    f = tree / p
    if f.is_symlink() or not f.is_file(): continue
    try: text = f.read_text(encoding="utf-8")
    except UnicodeDecodeError: continue
    new = text
    if f.suffix in SRC:
        for old, to, gs in globs:
            if any(fnmatch.fnmatch(p, g) for g in gs):
                pat = re.compile(r"(?<!\w)%s(?!\w)" % re.escape(old))
                after = code_sub(new, pat, to, f.suffix)
                if after != new: used.add((old, to)); new = after
        if wc: 
            def r(m): used.add(m[0]); return code[m[0]]
            new = code_sub(new, wc, r, f.suffix)
    if we:
        def r(m): used.add(m[0]); return every[m[0]]
        new = we.sub(r, new)
    if new != text: f.write_text(new, encoding="utf-8", newline="")
for old, new in files:
    if (tree / old).exists():
        (tree / new).parent.mkdir(parents=True, exist_ok=True)
        git("mv", old, new)
    else: print("no file", old)
for d in (every, code):
    for o in d:
        if o not in used: print("not found:", o)
for o, t, g in globs:
    if (o, t) not in used: print("not found:", o, g)
