"""Snapshots of saved HTML files, without a browser: load.py says what is the same as in one, and what is not.

tree.py parses, document.py knows ids, labels and the default style of elements (style.py); text.py, roles.py, names.py
and fields.py say of an element what the scripts of the same names say in a browser; walk.py lists the nodes.
"""

from harness.page.saved.load import load_file, load_saved

__all__ = ["load_file", "load_saved"]
