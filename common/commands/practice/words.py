"""What the judge says to a person, in that person's language: messages.txt has the translations."""
import os
import sys
import unicodedata

from common.commands import languages

MESSAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "messages.txt")
_chosen = {"say": languages.sayer({}, "en")}


def choose(language):
    """Of all that is said from now on. A terminal whose encoding lacks a letter shows a question mark."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(errors="replace")
    _chosen["say"] = languages.sayer(languages.read(MESSAGES), language)


def say(message, **values):
    return _chosen["say"](message, **values)


def left(text, width):
    """A cell of a table: Chinese and Korean letters are two columns wide."""
    return text + " " * (width - columns(text))


def right(text, width):
    return " " * (width - columns(text)) + text


def columns(text):
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
