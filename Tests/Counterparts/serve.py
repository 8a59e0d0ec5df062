"""Runs the program named by the first argument until its standard input stream ends, which it does with the process that started it."""

import os
import runpy
import sys
import threading


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


sys.argv = sys.argv[1:]
threading.Thread(target=end_with_input, daemon=True).start()
runpy.run_path(sys.argv[0], run_name="__main__")
