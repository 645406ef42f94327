"""python -m phom_referee: the command."""

import sys

from phom_referee.command import main

if __name__ == "__main__":
    sys.exit(main())
