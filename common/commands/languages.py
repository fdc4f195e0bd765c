"""
The languages that there are besides English, and what programs say in them. A file of messages has each as the program
has it, in English, and below it what it is in each language:

    {right} of {all} launches are right
        zh {all} 次启动中有 {right} 次结果正确
        ko 실행 {all}번 중 {right}번이 맞습니다

So an English message that has changed has no translation any more, and says it in English. check/cases/languages names
it, and what no program says any more.
"""
import os
import re
import string
from typing import NamedTuple


class Language(NamedTuple):
    """tag: what HTML calls it. name: what it calls itself. letter: one of its script. note: what a page says of itself
    on top, where it is read as a file."""
    tag: str
    name: str
    letter: str
    note: str


LANGUAGES = {  # by their directories in docs/
    "zh": Language("zh-CN", "中文", "[\u4e00-\u9fff]",
                   "这里只有正文；代码、测量表格和输出在[英文页](../{name}.md)上，`./docs/build` 把两者合成完整的一页。"),
    "ko": Language("ko", "한국어", "[\uac00-\ud7a3]",
                   "여기에는 본문만 있습니다. 코드, 측정 표, 출력은 [영어 페이지](../{name}.md)에 있고, "
                   "`./docs/build`가 둘을 합쳐 온전한 페이지를 만듭니다."),
}


def read(path):
    """{English: {language: text}}"""
    found, last = {}, None
    with open(path, encoding="utf-8") as file:
        for line in file.read().split("\n"):
            entry = re.match(r"    (\w\w) (.*)", line)
            if entry and last is not None:
                found[last][entry[1]] = entry[2]
            elif line and not line.startswith("#"):
                last = line
                found[last] = {}
    return found


def sayer(messages, language):
    """say(message, **values): a message in a language, with its values."""
    def say(message, **values):
        text = messages.get(message, {}).get(language, message)
        return text.format(**values) if values else text
    return say


def chosen(asked=None):
    """The language that a person asked for, or that of the environment; "en" for any that there is not."""
    name = asked or next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return next((language for language in LANGUAGES if name.startswith(language)), "en")


def fields(message):
    """The names in braces of a message."""
    return sorted(name for _, name, _, _ in string.Formatter().parse(message) if name is not None)


def faults(messages, said):
    """What is wrong with a file of messages. said: those that the programs say."""
    for message in said:
        if message not in messages:
            yield f"no translation of '{message}'"
    for message, texts in messages.items():
        if message not in said:
            yield f"nothing says '{message}' any more"
        for language in LANGUAGES:
            if not texts.get(language):
                yield f"'{message}' is not there in {language}"
            elif fields(texts[language]) != fields(message):
                yield f"'{message}' has other values in {language}"
        for language in set(texts) - set(LANGUAGES):
            yield f"'{message}' is in {language}, which is no language here"
