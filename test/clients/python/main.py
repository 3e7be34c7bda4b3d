import cases.chat  # noqa: F401
import cases.failures  # noqa: F401
import cases.other_routes  # noqa: F401
import cases.streams  # noqa: F401
from harness import main

main()
