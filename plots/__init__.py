"""
What reads the run logs: with the repository's root on sys.path, `from plots import log`.

log      reads the files of a run: its logs, its counters and describe.json
family   what a family compares, and how its sizes and figures are written
ladder   which row stands for what, and the speed-ups between them
tables   ladders as text and as markdown
charts   draws; needs gnuplot

Nothing here knows a family, a step or a library by name: describe.json tells what a family
measures, and a row's role what its variant is. The standard library is enough.
"""
