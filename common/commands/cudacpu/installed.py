"""cuda-cpu, built or installed: its first argument is the toolchain.json that is built with it."""
import sys

from common.commands.cudacpu import driver

if __name__ == "__main__":
    sys.exit(driver.main("cuda-cpu", sys.argv[2:], sys.argv[1]))
