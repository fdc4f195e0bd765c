"""What the commands of steps/ do, and what drives the steps' programs."""
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # the checkout
