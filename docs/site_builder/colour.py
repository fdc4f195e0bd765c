"""Code in colours: by Pygments, a text per line, as HTML."""
import functools
import html
import re

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer

_LEXER = CudaLexer(stripnl=False)
_FORMATTER = HtmlFormatter(nowrap=True, classprefix="t-")


# The kinds of tokens that parts/style.css gives a colour; the others go without a mark.
_PLAIN = re.compile(r'<span class="t-(?!(?:k|kc|kd|kr|kt|nf|nb|c1|cm|cp|cpf|mi|mf|mh|mo|s|sc|se)")\w+">([^<]*)</span>')


@functools.lru_cache(None)
def lines_of(text):
    """Kept, because a source stands on its own page and beside the step behind it: that is most of a site's time."""
    made = _PLAIN.sub(r"\1", highlight(text.rstrip("\n") + "\n", _LEXER, _FORMATTER))
    made = made.replace("-&gt;", '<span class="o">-&gt;</span>')  # no line ends within it
    made = made.rstrip("\n").split("\n")
    return (*made, *[""] * (text.rstrip("\n").count("\n") + 1 - len(made)))


def patch(text):
    """A patch: what it takes away and what it puts in are marked by more than their sign's colour."""
    made = []
    for line in text.rstrip("\n").split("\n"):
        kind = "head" if line.startswith(("---", "+++", "@@")) else \
            {"-": "less", "+": "more"}.get(line[:1])
        tag = {"less": "del", "more": "ins"}.get(kind, "span")
        made.append(f'<{tag} class="{kind}">{html.escape(line)}</{tag}>' if kind else html.escape(line))
    return "\n".join(made)
