"""Write each example of the README into a file of a folder, as it stands: python tests/readme.py FOLDER."""

import re
import sys
from pathlib import Path

EXAMPLES = 9

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
examples = re.findall(r"^```python\n(.*?)^```$", Path("README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
if len(examples) != EXAMPLES:
    sys.exit(f"the README has {len(examples)} examples")
for number, code in enumerate(examples, start=1):
    (folder / f"example_{number}.py").write_text(code, encoding="utf-8")
