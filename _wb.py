from release.windows import *
from release.foreign import *
DIST.mkdir(exist_ok=True)
for old in DIST.glob("*win_amd64*"): old.unlink()
made = build_wheel(unpack(source_distribution()), FOREIGN["win-amd64"])
print(made.stat().st_size, made.name)
print(install(made))
