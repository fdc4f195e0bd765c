"""
The records: a directory per device in plots/devices, found by listing. The file plots/devices/reference
names the GPU whose record the pages quote, and for which --estimate estimates unless told otherwise.
"""
import os

DEVICES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "devices")
CPU = "cpu-device"  # the one that needs no GPU


def names(devices=DEVICES):
    """The devices that have a record."""
    return sorted(name for name in os.listdir(devices) if os.path.isdir(os.path.join(devices, name)))


def reference(devices=DEVICES):
    """The GPU whose record the pages quote; "" where none is named."""
    try:
        with open(os.path.join(devices, "reference"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def place(*parts, device=None, devices=DEVICES):
    """The path of a part of a device's record; of the reference's where none is named."""
    return os.path.join(devices, device or reference(devices), *parts)
