"""The record of this machine's GPU: see command.USAGE."""
import sys

from common.commands import ROOT
from plots.makers.gpu import command

if __name__ == "__main__":
    sys.exit(command.main(ROOT))
