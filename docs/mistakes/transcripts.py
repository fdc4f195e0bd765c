"""
What the pages show of single steps beside their counters: plots/record cpu makes it. A name is that of a file in
plots/devices/cpu-device, below transcripts/ unless said otherwise; options are a step's, as a reader types them.
"""
import collections

# kind: the function below that made it; timed: numbers that depend on time are left out of it; stage: of a hint.
Transcript = collections.namedtuple("Transcript", "kind name step options text timed stage",
                                    defaults=("", "", False, 0))


def trace(name, step, options, text):
    """trace-NAME.csv: the first access with the most lanes at the source line that is, or holds, this text."""
    return Transcript("trace", name, step, options, text)


def say(name, step, options, timed=False):
    """The command, what it says, its exit status."""
    return Transcript("say", name, step, options, timed=timed)


def remarks(name, step, options):
    """The command, and what a family says under the table of times."""
    return Transcript("remarks", name, step, options)


def count(name, step, options):
    """The tables of --counters."""
    return Transcript("count", name, step, options)


def orders(name, step, options):
    """What the log says of the results of three runs in other orders."""
    return Transcript("orders", name, step, options)


def ends(name, step, options):
    """What each variant came to."""
    return Transcript("ends", name, step, options)


def alone(name, step):
    """The counters of the launches that are timed, without those that verify."""
    return Transcript("alone", name, step)


def change(name, step, options, timed=False):
    """As say, of the step with NAME.patch beside this file; what follows a + in NAME is no part of that."""
    return Transcript("change", name, step, options, timed=timed)


def keep(name, step, options):
    """As change, with four workers; another thing each time, so it is kept once made."""
    return Transcript("keep", name, step, options)


def own(name, program, options=""):
    """What steps/cuda says of docs/own/PROGRAM.cu."""
    return Transcript("own", name, program, options)


def plain(name, step):
    """The same of steps/STEP/plain.cu, with NAME.patch if there is one."""
    return Transcript("plain", name, step)


def practice(name, step, function="", body="", stage=0):
    """What ./steps/practice STEP says: at first; or with the file docs/own/BODY as the body of the function; of a
    stage, what it says with --hint when it is asked for the stage-th time."""
    return Transcript("practice", name, step, function, body, stage=stage)


def compiled(name, step, function, title):
    """compiled/NAME.txt: barriers and branches in the PTX of a kernel, by a part of its name there, called title;
    with NAME.patch if there is one."""
    return Transcript("compiled", name, step, function, title)


def waits(name, step, function):
    """compiled/NAME.txt: the PTX of its wait, from its first fence to its second, and the block at its end."""
    return Transcript("waits", name, step, function)


ALL = (
    trace("reduce2-interleaved", "reduce2", "-n 2^16 -v interleaved", "s[i] += s[i + k]"),
    trace("transpose-naive-reads", "transpose-naive",
          "-n 1024 -v reads-coalesced", "        out[col * rows + row] = in[row * cols + col];"),
    trace("transpose-tiled-conflicts", "transpose-tiled", "-n 1024 -v conflicts", "tile[x * pitch + y] ="),
    trace("transpose-tiled-padded", "transpose-tiled", "-n 1024 -v padded", "tile[x * pitch + y] ="),
    say("estimate-line", "reduce2", "-n 2^28 -v sequential --estimate"),
    say("reduce2-refuses", "reduce2", "-t 100"),
    say("reduce4-lockstep", "reduce4", "-v lockstep -n 2^14 -r 1 -w 0 -q --check"),
    say("reduce-states-refuses", "reduce-states", "-v mean --type i32"),
    say("scan-rounds-refuses", "scan-rounds", "-n 2^20 -b 40 -r 1 -w 0 -q"),
    say("stencil-naive-refuses", "stencil-naive", "-n 70000x4 -t 32 -v plane"),
    say("transpose-vector-refuses", "transpose-vector", "-n 64x66 -v quads -r 1 -w 0 -q"),
    remarks("scan-segmented-example", "scan-segmented",
            "--type i32 --flags 1,0,1,0,0,1,0,0,0 --values 1,2,6,7,1,1,2,3,4 -v block -t 16 -r 1 -w 0"),
    say("scan-segmented-refuses", "scan-segmented", "--flags 0,1,1 -q"),
    count("reduce2-lines", "reduce2", "-n 2^20 -b 256 -t 256 -v interleaved -r 1 -w 0 --counters=lines"),
    count("add-lines", "add", "-n 2^20 -v bounds-check -r 1 -w 0 --counters=lines"),
    count("reduce-float4-offset", "reduce-float4",
          "-n 2^20 -b 256 -t 256 --offset 1 -v four-loads -v any-start -r 1 -w 0 --counters"),
    orders("reduce4-orders", "reduce4", "-v lockstep -n 2^14 --input ones -r 1 -w 0 -q"),
    orders("reduce6-orders", "reduce6", "-v per-block -n 2^20 -r 1 -w 0 -q"),
    say("sgemm-naive-refuses", "sgemm-naive", "-n 64 --alpha nan"),
    ends("histogram-global-plain", "histogram-global", "-n 2^16 --bins 10 --type u32 -b 64 -t 256 -v plain -r 1 -w 0"),
    say("histogram-global-race", "histogram-global",
        "-n 2^16 --bins 10 --type u32 -b 64 -t 256 -v plain -r 1 -w 0 -q --check"),
    say("histogram-global-refuses", "histogram-global", "-n 2^16 --range 2:1"),
    orders("reduce-operators-orders", "reduce-operators", "-n 100003 -b 40 -t 64 -v subtract -r 1 -w 0 -q"),
    say("block-sync-lock-refuses", "block-sync-lock", "-b 65536 -t 1024 -v lock", timed=True),
    ends("block-sync-lock-deadlock", "block-sync-lock", "-b 200 --oversubscribe"),
    ends("block-sync-lockfree-deadlock", "block-sync-lockfree", "-b 200 --oversubscribe"),
    ends("block-sync-cooperative-deadlock", "block-sync-cooperative", "-b 200 --oversubscribe"),
    change("add-bounds", "add", "-n 1000 -v bounds-check -r 1 -w 0 -q --check"),
    change("add-blocks", "add", "-n 1000 -v bounds-check -r 1 -w 0 -q"),
    change("reduce0-odd", "reduce0", "-n 1000003 --input ones -r 1 -w 0 -q"),
    change("reduce1-contiguous", "reduce1", "-n 2^16 -r 1 -w 0 -q --check"),
    change("reduce2-blocks", "reduce2", "-n 2^20 -b 264 --input ones -v sequential -r 1 -w 0 -q"),
    change("reduce2-barrier", "reduce2", "-n 2^16 -v sequential -r 1 -w 0 -q --check"),
    change("reduce3-plain", "reduce3", "-n 2^16 -t 100 --input ones -v guard -r 1 -w 0 -q"),
    change("reduce3-guard", "reduce3", "-n 2^16 -t 100 -b 4 --input ones -v guard -r 1 -w 0 -q --check"),
    change("reduce6-zero", "reduce6", "-n 2^16 --type i32 -v per-block -r 1 -w 0 -q"),
    change("reduce6-plain", "reduce6", "-n 2^16 --type i32 -v per-block -r 1 -w 0 -q --check"),
    change("reduce7-fence", "reduce7", "-n 2^16 --type i32 -v loop -r 1 -w 0 -q --check"),
    change("reduce7-counter", "reduce7", "-n 2^16 --type i32 -v loop -r 2 -w 0 -q"),
    change("reduce7-tail", "reduce7", "-n 2^16 --type i32 -v loop -r 1 -w 0 -q"),
    change("reduce-float4-aligned", "reduce-float4", "-n 2^16 --type i32 -v any-start --offset 1 -r 1 -w 0 -q --check"),
    change("reduce-float4-bound", "reduce-float4", "-n 100000 --type i32 -v any-start -r 1 -w 0 -q --check"),
    change("reduce-bulk-ring", "reduce-bulk", "-n 2^18 --type i32 -v bulk -b 4 -r 1 -w 0 -q --check"),
    change("reduce-operators-identity", "reduce-operators", "-n 2^16 -v min --input ones -r 1 -w 0 -q"),
    change("reduce-operators-nan", "reduce-operators", "-n 2^16 -v min --input hostile -r 1 -w 0 -q"),
    change("reduce-states-empty", "reduce-states", "-n 1000 -v mean -r 1 -w 0 -q"),
    change("scan-hillis-barrier", "scan-hillis", "-n 2^16 --type i32 -v array -r 1 -w 0 -q --check"),
    change("scan-hillis-single", "scan-hillis", "-n 2^16 --type i32 -v array -r 1 -w 0 -q"),
    change("scan-blelloch-root", "scan-blelloch", "-n 2^16 --type i32 -v padded -r 1 -w 0 -q"),
    change("scan-blelloch-room", "scan-blelloch", "-n 2^16 --type i32 -v padded -r 1 -w 0 -q --check"),
    change("scan-lookback-ticket", "scan-lookback", "-n 2^20 -v tree -b 256 -r 1 -w 0 -q --schedule=random:1"),
    change("scan-lookback-plain", "scan-lookback", "-n 2^18 --type i32 -v tree -r 1 -w 0 -q --check"),
    change("scan-rounds-number", "scan-rounds", "-n 2^18 -b 2 --type i32 -v rounds -r 2 -w 0 -q"),
    change("scan-rounds-single", "scan-rounds", "-n 2^18 -b 2 --type i32 -v rounds -r 1 -w 0 -q --check"),
    change("scan-rounds-plain", "scan-rounds", "-n 2^17 --type i32 -v rounds -r 1 -w 0 -q --check"),
    keep("scan-lookback-bits", "scan-lookback", "-n 2^20 -v lookback -r 4 -w 0 -q"),
    change("histogram-global-range", "histogram-global", "-n 2^12 --input hostile -v atomic -r 1 -w 0 -q"),
    change("histogram-shared-plain", "histogram-shared", "-n 2^14 --bins 10 --type u32 -v atomic -r 1 -w 0 -q --check"),
    change("histogram-shared-barrier", "histogram-shared",
           "-n 2^14 --bins 10 --type u32 -v atomic -r 1 -w 0 -q --check"),
    change("histogram-narrow-full+-uniform", "histogram-narrow", "-n 2^17 --type u8 -b 1 -r 1 -w 0 -q"),
    change("histogram-narrow-full", "histogram-narrow", "-n 2^17 --type u8 --input equal -b 1 -r 1 -w 0 -q"),
    change("histogram-narrow-barrier", "histogram-narrow", "-n 2^14 --bins 10 --type u32 -b 1 -r 1 -w 0 -q --check"),
    change("histogram-private-range", "histogram-private",
           "-n 2^17 --type u8 --bins 10 --range 10:201 -v fastest -r 1 -w 0 -q"),
    change("compact-scan-barrier", "compact-scan", "-n 2^16 -v flags -r 1 -w 0 -q --check"),
    change("compact-scan-counter", "compact-scan", "-n 2^16 -v flags -r 1 -w 0 -q --check"),
    change("compact-scan-place", "compact-scan", "-n 2^16 -v in-place -r 1 -w 0 -q --check"),
    change("sort-bitonic-barrier", "sort-bitonic", "-n 2000 -v shared -r 1 -w 0 -q --check"),
    change("sort-bitonic-tail", "sort-bitonic", "-n 2001 -v global -r 1 -w 0 -q"),
    change("sort-merge-stable", "sort-merge", "-n 5000 --values 4 --input few -r 1 -w 0 -q"),
    change("sort-merge-early", "sort-merge", "-n 5000 -r 1 -w 0 -q --check"),
    change("sort-rank-stable", "sort-rank", "-n 5000 -v match --values 4 -r 1 -w 0 -q"),
    change("sort-rank-warp", "sort-rank", "-n 5000 -v match -r 1 -w 0 -q --check"),
    change("sort-radix-highest", "sort-radix", "-n 5000 -v bits-8 -r 1 -w 0 -q"),
    change("sort-radix-stable", "sort-radix", "-n 5000 -v bits-8 -r 1 -w 0 -q"),
    change("sort-onesweep-prefix", "sort-onesweep", "-n 5000 -t 128 -r 1 -w 0 -q"),
    change("sort-onesweep-clear", "sort-onesweep", "-n 5000 -t 32 -r 1 -w 0 -q --check"),
    change("sort-msd-early", "sort-msd", "-n 5000 -r 1 -w 0 -q --check"),
    change("sort-msd-stable", "sort-msd", "-n 20000 --values 4 --bits 7:32 -r 1 -w 0 -q"),
    change("sort-crowded-stays", "sort-crowded", "-n 2^22 -v moved --input few -r 1 -w 0 -q --check"),
    change("sort-crowded-sync", "sort-crowded", "-n 2^22 -v moved --input few -r 1 -w 0 -q --check"),
    keep("compact-lookback-order", "compact-lookback", "-n 2^18 -v in-place -r 1 -w 0 -q --check"),
    change("compact-stream-warp", "compact-stream", "-n 2^18 -v stream -r 1 -w 0 -q --check"),
    change("compact-stream-ring", "compact-stream", "-n 2^20 -v stream -r 1 -w 0 -q"),
    change("scan-segmented-early+-right", "scan-segmented", "-n 200 --type i32 -v block -r 5 -w 0 -q"),
    change("scan-segmented-early", "scan-segmented", "-n 200 --type i32 -v block -r 1 -w 0 -q --check"),
    change("scan-segmented-multiply", "scan-segmented", "-n 2000 -v array -r 1 -w 0 -q --input hostile"),
    change("scan-segmented-few-tag", "scan-segmented-few",
           "-n 60000 -b 4 --type i32 --segment 2^40 -v few -r 1 -w 0 -q --schedule=random:1"),
    change("scan-segmented-few-head", "scan-segmented-few", "-n 2^18 --type i32 -v few -r 1 -w 0 -q"),
    change("scan-segmented-stream-warp", "scan-segmented-stream",
           "-n 2^15 -b 2 --type i32 -v stream -r 1 -w 0 -q --check"),
    change("scan-segmented-stream-head", "scan-segmented-stream", "-n 2^18 --type i32 -v stream -r 1 -w 0 -q"),
    change("transpose-naive-pitch+-square", "transpose-naive", "-n 256x256 -v reads-coalesced -r 1 -w 0 -q"),
    change("transpose-naive-pitch", "transpose-naive", "-n 200x300 -v reads-coalesced -r 1 -w 0 -q"),
    change("transpose-tiled-barrier", "transpose-tiled", "-n 32x32 -v padded -r 1 -w 0 -q --check"),
    change("transpose-tiled-edge", "transpose-tiled", "-n 200x300 -v padded -r 1 -w 0 -q"),
    change("transpose-tiled-room", "transpose-tiled", "-n 32x32 -v padded -r 1 -w 0 -q --check"),
    change("transpose-vector-align", "transpose-vector", "-n 64x66 -v quads -r 1 -w 0 -q --check"),
    change("transpose-vector-first", "transpose-vector", "-n 65x65 -v any -r 1 -w 0 -q --check"),
    change("stencil-naive-exchanged+-square", "stencil-naive", "-n 128x128 -v plane -r 1 -w 0 -q"),
    change("stencil-naive-exchanged", "stencil-naive", "-n 100x128 -v plane -r 1 -w 0 -q"),
    change("stencil-naive-around", "stencil-naive", "-n 100x128 --input ones -v plane -r 1 -w 0 -q"),
    change("stencil-tiled-barrier", "stencil-tiled", "-n 64x64 -v edges -r 1 -w 0 -q --check"),
    change("stencil-tiled-early", "stencil-tiled", "-n 60x60 -v edges -r 1 -w 0 -q --check"),
    change("sgemm-naive-beta", "sgemm-naive", "-n 64 -v rows -r 1 -w 0 -q"),
    change("sgemm-tiled-barrier", "sgemm-tiled", "-n 64 -v tile16 -r 1 -w 0 -q"),
    change("sgemm-tiled-edge", "sgemm-tiled", "-n 64x64x40 -v tile16 --input hostile --seed 1 -r 1 -w 0 -q"),
    change("sgemm-column-edge", "sgemm-column", "-n 16x200x32 -v words -r 1 -w 0 -q"),
    change("sgemm-registers-barrier", "sgemm-registers", "-n 128 -v split -r 1 -w 0 -q"),
    change("softmax-naive-overflow", "softmax-naive", "-n 4000 --cols 1000 -t 64 -v block --input ramp -r 1 -w 0 -q"),
    change("softmax-naive-barrier", "softmax-naive", "-n 256 --cols 128 -t 64 -v block -r 1 -w 0 -q --check"),
    change("softmax-online-empty", "softmax-online", "-n 1000 --cols 100 -t 256 -r 1 -w 0 -q"),
    change("layernorm-squares", "layernorm", "-n 2000 --cols 100 -t 32 -v block -r 1 -w 0 -q"),
    change("layernorm-barrier", "layernorm", "-n 256 --cols 128 -t 64 -v block -r 1 -w 0 -q --check"),
    change("attention-naive-nan", "attention-naive",
           "-n 300 --length 300 --causal 1 --input hostile --seed 1 -r 1 -w 0 -q"),
    change("attention-naive-scale", "attention-naive", "-n 128 --length 64 -r 1 -w 0 -q"),
    change("attention-tiled-values", "attention-tiled", "-n 256 --length 128 -r 1 -w 0 -q"),
    change("attention-tiled-barrier", "attention-tiled", "-n 130 --length 130 -r 1 -w 0 -q --check"),
    change("attention-mma-lanes", "attention-mma", "-n 128 --length 64 -r 1 -w 0 -q"),
    change("attention-mma-wait", "attention-mma", "-n 128 --length 128 -r 1 -w 0 -q --check"),
    change("attention-tf32-parts", "attention-tf32", "-n 90 --length 3 -r 1 -w 0 -q"),
    change("attention-tf32-order", "attention-tf32", "-n 90 --length 3 -r 1 -w 0 -q"),
    change("attention-wgmma-release", "attention-wgmma", "-n 512 --length 512 -r 1 -w 0 -q -v turns --check"),
    change("attention-wgmma-lines", "attention-wgmma", "-n 64 --length 64 --dim 128 -r 1 -w 0 -q -v turns"),
    change("attention-wgmma-turn", "attention-wgmma", "-n 64 --length 64 -r 1 -w 0 -q -v turns"),
    change("attention-balanced-place", "attention-balanced", "-n 2000 --length 400 -r 1 -w 0 -q"),
    change("attention-balanced-empty", "attention-balanced", "-n 2000 --length 400 -r 1 -w 0 -q"),
    change("softmax-registers-end", "softmax-registers", "-n 120 --cols 60 -t 32 -v warp -r 1 -w 0 -q --check"),
    change("softmax-cluster-barrier", "softmax-cluster", "-n 2^17 --cols 2^17 -t 64 -v eight -r 1 -w 0 -q --check"),
    change("softmax-cluster-turn", "softmax-cluster", "-n 2000 --cols 100 -t 1024 -v two -r 1 -w 0 -q --check"),
    change("softmax-cluster-begin", "softmax-cluster", "-n 4096 --cols 4096 -v four -r 1 -w 0 -q --check"),
    change("reduce-cluster-block", "reduce-cluster", "-n 2^15 -v barrier -r 1 -w 0 -q --check"),
    change("reduce-cluster-bytes", "reduce-cluster", "-n 2^15 -v async -r 1 -w 0 -q --check"),
    change("softmax-async-bytes", "softmax-async", "-n 4096 --cols 4096 -v four -r 1 -w 0 -q --check"),
    change("softmax-async-parity", "softmax-async", "-n 2000 --cols 100 -t 1024 -v eight -r 1 -w 0 -q --check"),
    change("softmax-async-turn", "softmax-async", "-n 2000 --cols 100 -t 1024 -v two -r 1 -w 0 -q --check"),
    change("softmax-ahead-fill", "softmax-ahead", "-n 4000 --cols 80 -t 64 -v one -r 1 -w 0 -q --check"),
    change("softmax-ahead-draws", "softmax-ahead", "-n 40000 --cols 80 -t 64 -v two -r 1 -w 0 -q --check"),
    change("softmax-ahead-proxy", "softmax-ahead", "-n 4000 --cols 80 -t 64 -v one-bulk -r 1 -w 0 -q --check"),
    change("layernorm-ahead-place", "layernorm-ahead", "-n 4000 --cols 80 -t 64 -v one -r 1 -w 0 -q --check"),
    change("layernorm-ahead-end", "layernorm-ahead", "-n 40000 --cols 80 -t 64 -v one -r 1 -w 0 -q --check"),
    change("hgemm-wmma-layout", "hgemm-wmma", "-n 64 -v direct -r 1 -w 0 -q --layout NT"),
    change("hgemm-wmma-barrier", "hgemm-wmma", "-n 128x128x64 -v shared -r 1 -w 0 -q"),
    change("hgemm-async-wait", "hgemm-async", "-n 128x256x304 -v ahead -r 1 -w 0 -q --check"),
    change("hgemm-async-place", "hgemm-async", "-n 128x256x256 -v ahead -r 1 -w 0 -q"),
    change("hgemm-mma-side", "hgemm-mma", "-n 128x256x64 -r 1 -w 0 -q"),
    change("hgemm-wgmma-wait", "hgemm-wgmma", "-n 128x256x320 -r 1 -w 0 -q --check"),
    change("hgemm-wgmma-proxy", "hgemm-wgmma", "-n 128x256x128 -r 1 -w 0 -q --check"),
    change("hgemm-wgmma-swizzle", "hgemm-wgmma", "-n 128x256x64 -r 1 -w 0 -q"),
    change("hgemm-tma-wait", "hgemm-tma", "-n 128x256x320 -r 1 -w 0 -q --check"),
    change("hgemm-tma-parity", "hgemm-tma", "-n 128x256x320 -r 1 -w 0 -q"),
    change("hgemm-tma-swizzle", "hgemm-tma", "-n 128x256x64 -r 1 -w 0 -q"),
    change("hgemm-tma-expect", "hgemm-tma", "-n 128x256x320 -r 1 -w 0 -q"),
    change("hgemm-cluster-last", "hgemm-cluster", "-n 128x512x256 -v persistent -b 1 -r 1 -w 0 -q"),
    change("hgemm-cluster-read", "hgemm-cluster", "-n 128x256x64 -v stores -r 1 -w 0 -q --check"),
    change("hgemm-cluster-own", "hgemm-cluster", "-n 256x256x320 -v multicast -r 1 -w 0 -q --check"),
    change("hgemm-cluster-end", "hgemm-cluster", "-n 256x256x320 -v multicast -r 1 -w 0 -q"),
    change("hgemm-cluster-rank", "hgemm-cluster", "-n 256x256x64 -v multicast -r 1 -w 0 -q"),
    change("hgemm-narrow-empty", "hgemm-narrow", "-n 64x128x576 -v narrow -r 1 -w 0 -q"),
    change("hgemm-narrow-rows", "hgemm-narrow", "-n 128x128x64 -v narrow -r 1 -w 0 -q"),
    change("hgemm-narrow-end", "hgemm-narrow", "-n 64x128x64 -v narrow -r 1 -w 0 -q --check"),
    change("stencil-registers-end", "stencil-registers", "-n 62x64 -v quads -r 1 -w 0 -q --check"),
    change("stencil-registers-aligned", "stencil-registers", "-n 64x66 -v quads -r 1 -w 0 -q --check"),
    change("sgemm-pipelined-wait", "sgemm-pipelined", "-n 128x256x300 -b 1 -r 1 -w 0 -q"),
    change("sgemm-shapes-whole", "sgemm-shapes", "-n 128x256x600 -v fitted -r 1 -w 0 -q"),
    change("sgemm-shapes-barrier", "sgemm-shapes", "-n 128x256x64 -b 1 -v fitted -r 1 -w 0 -q --check"),
    change("sgemm-small-stage", "sgemm-small", "-n 64x32x64 -r 1 -w 0 -q --check"),
    change("sgemm-small-count", "sgemm-small", "-n 1x100x700 -r 2 -w 0 -q"),
    change("sgemm-streamk-count", "sgemm-streamk", "-n 128x256x600 -v cut -r 2 -w 0 -q"),
    change("sgemm-streamk-early", "sgemm-streamk", "-n 128x256x600 -v cut -r 1 -w 0 -q"),
    change("block-sync-lock-fence", "block-sync-lock", "-n 1 -v lock -r 1 -w 0 -q --check", timed=True),
    change("block-sync-lock-plain", "block-sync-lock", "-n 1 -v lock -r 1 -w 0 -q", timed=True),
    change("block-sync-lockfree-early", "block-sync-lockfree", "-n 1 -v gathered -r 1 -w 0 -q --check", timed=True),
    change("block-sync-cooperative-launch", "block-sync-cooperative", "-n 1 -r 1 -w 0 -q", timed=True),
    change("overlap-copy-event", "overlap-copy", "-n 1000 --chunks 4 -v by-engine -r 1 -w 0 -q --check"),
    change("overlap-copy-reuse", "overlap-copy", "-n 1000 --chunks 4 -v by-engine -r 1 -w 0 -q --check"),
    change("overlap-copy-join", "overlap-copy", "-n 1000 --chunks 1 -v three-streams -r 1 -w 0 -q --check"),
    change("overlap-graph-nodes", "overlap-graph", "-n 2 -v nodes -r 1 -w 0 -q --check"),
    change("overlap-graph-argument", "overlap-graph", "-n 5 -v nodes -r 1 -w 0 -q"),
    say("peers-copy-refuses", "peers-copy", "--gpus 2 --devices 3 -v host"),
    change("peers-copy-bytes", "peers-copy", "--devices 2 -n 1000 -v one-way -r 1 -w 0 -q"),
    change("peers-load-tail", "peers-load", "--devices 2 -n 1003 -v stores-quads -r 1 -w 0 -q"),
    change("peers-load-device", "peers-load", "--devices 2 -n 1003 -v stores -r 1 -w 0 -q"),
    change("peers-flag-early", "peers-flag", "--devices 2 -n 3 -v ring -r 1 -w 0 -q --check", timed=True),
    change("peers-flag-fence", "peers-flag", "--devices 2 -n 3 -v ring-fenced -r 1 -w 0 -q --check", timed=True),
    change("peers-flag-scope", "peers-flag", "--devices 2 -n 3 -v ring -r 1 -w 0 -q --check", timed=True),
    change("allreduce-ring-short", "allreduce-ring", "--devices 3 -n 1000 --input ones -r 1 -w 0 -q"),
    change("allreduce-ring-share", "allreduce-ring", "--devices 2 -n 1000 --input ones -r 1 -w 0 -q"),
    change("allreduce-oneshot-epoch", "allreduce-oneshot",
           "--devices 2 -n 1000 --input ones -v packets -r 3 -w 0 -q", timed=True),
    change("allreduce-oneshot-halves", "allreduce-oneshot",
           "--devices 2 -n 64 -v packets -r 1 -w 0 -q --check", timed=True),
    change("allreduce-twoshot-value", "allreduce-twoshot",
           "--devices 2 -n 1000 -v stores -r 2 -w 0 -q --check", timed=True),
    change("allreduce-twoshot-early", "allreduce-twoshot",
           "--devices 2 -n 1000 -v stores -r 1 -w 0 -q --check", timed=True),
    change("reduce-devices-early", "reduce-devices", "--devices 2 -n 1000 -v flags -r 1 -w 0 -q --check", timed=True),
    change("reduce-devices-fence", "reduce-devices", "--devices 2 -n 1000 -v flags -r 1 -w 0 -q --check", timed=True),
    change("reduce-devices-value", "reduce-devices", "--devices 2 -n 1000 -v flags -r 2 -w 0 -q --check", timed=True),
    change("scan-devices-wait", "scan-devices", "--devices 2 -n 1000 --input ones -v totals -r 1 -w 0 -q", timed=True),
    change("scan-devices-last", "scan-devices", "--devices 2 -n 2^16 --input ones -v add -r 1 -w 0 -q"),
    say("scan-cyclic-refuses", "scan-cyclic", "--devices 2 -n 2^20 -b 1"),
    change("scan-cyclic-chunk", "scan-cyclic", "--devices 2 -n 2^18 --input ones -r 1 -w 0 -q"),
    change("scan-cyclic-twice", "scan-cyclic", "--devices 2 -n 2^18 -b 5 --input ones -r 1 -w 0 -q"),
    change("transpose-devices-place", "transpose-devices", "--devices 3 -n 100x72 -v stores -r 1 -w 0 -q"),
    change("transpose-devices-barrier", "transpose-devices",
           "--devices 2 -n 100x72 -b 1 -v stores -r 1 -w 0 -q --check", timed=True),
    change("transpose-devices-value", "transpose-devices",
           "--devices 2 -n 100x72 -b 1 -v loads -r 1 -w 0 -q --check", timed=True),
    change("transpose-devices-tile", "transpose-devices",
           "--devices 2 -n 256 -b 1 -v turn-stores -r 1 -w 0 -q --check"),
    change("jacobi-devices-early", "jacobi-devices",
           "--devices 2 -n 8x32 --sweeps 2 -v overlapped -r 1 -w 0 -q --check"),
    change("jacobi-devices-wait", "jacobi-devices",
           "--devices 2 -n 20x32 --sweeps 2 -v overlapped -r 1 -w 0 -q --check"),
    change("jacobi-devices-flag", "jacobi-devices", "--devices 2 -n 8x32 --sweeps 2 -v stores -r 1 -w 0 -q --check",
           timed=True),
    change("limit-words-guard", "limit-words", "-n 540 --passes 2 -b 2 -t 64 -v copy-4-together -r 1 -w 0 -q --check"),
    change("limit-flops-fused", "limit-flops", "-n 256 --chains 2 --resident 1 -v multiply-add -r 1 -w 0 -q"),
    change("limit-flops-unused", "limit-flops", "-n 256 --chains 2 --resident 1 -v multiply-add -r 1 -w 0 -q"),
    change("limit-latency-again", "limit-latency", "-n 100 -v chase -r 3 -w 0 -q"),
    change("limit-barrier-some", "limit-barrier", "-n 20 --resident 1 -v barrier -r 1 -w 0 -q --check"),
    change("limit-branches-barrier", "limit-branches",
           "-n 3 --resident 1 -t 128 -v exchange-halves -r 1 -w 0 -q --check"),
    change("limit-launch-none", "limit-launch", "-n 0 -v blocks -r 1 -w 0 -q"),
    change("limit-atomics-plain", "limit-atomics", "-n 3 --resident 1 -t 64 -v global-same -r 1 -w 0 -q --check"),
    plain("add-plain", "add"),
    plain("add-plain-host", "add"),
    plain("add-plain-threads", "add"),
    own("own-first", "rows"),
    own("own-counters", "rows", "--counters=lines"),
    own("own-warp", "rows", "--counters=lines -- warp"),
    own("own-estimate", "rows", "--estimate"),
    own("own-tree", "rows", "--check -- tree"),
    alone("block-sync-cooperative-counters", "block-sync-cooperative"),
    alone("block-sync-lock-counters", "block-sync-lock"),
    alone("block-sync-lockfree-counters", "block-sync-lockfree"),
    compiled("reduce5", "reduce5", "sum_blocksILj256", "sum_blocks<256>"),
    compiled("reduce5-runtime", "reduce5", "sum_blocksILj256", "sum_blocks<256>"),
    waits("block-sync-lock-plain", "block-sync-lock", "sync_lock"),
    say("fft-registers-refuses", "fft-registers", "--length 12 -q"),
    change("fft-registers-sync", "fft-registers", "-n 2^10 --length 8 -v warp -r 1 -w 0 -q --check"),
    change("fft-registers-tail", "fft-registers", "-n 1000 --length 8 -v warp -r 1 -w 0 -q --check"),
    change("fft-shared-barrier", "fft-shared", "-n 2^13 -v points -r 1 -w 0 -q --check"),
    change("fft-shared-root", "fft-shared", "-n 2^13 -v points -r 1 -w 0 -q"),
    change("fft-block-ask", "fft-block", "-n 2^14 -r 1 -w 0 -q"),
    change("fft-fourstep-turn", "fft-fourstep", "-n 2^16 --length 8192 -v two -r 1 -w 0 -q"),
    change("fft-fused-slot", "fft-fused", "-n 327680 --length 16384 -v teams -r 1 -w 0 -q --check"),
    change("fft-fused-early", "fft-fused", "-n 2^18 --length 16384 -v teams -r 1 -w 0 -q --check"),
    practice("practice-begin", "reduce2"),
    practice("practice-race", "reduce2", "sum_sequential", "practice-race.txt"),
    practice("practice-hint", "reduce2", "sum_sequential", "practice-race.txt", stage=1),
    practice("practice-hint-all", "reduce2", "sum_sequential", "practice-race.txt", stage=3),
    practice("practice-count", "reduce2", "sum_sequential", "practice-count.txt"),
    practice("practice-endless", "reduce2", "sum_sequential", "practice-endless.txt"),
    practice("practice-slices", "reduce2", "sum_sequential", "practice-slices.txt"),
)
