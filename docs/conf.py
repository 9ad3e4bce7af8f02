"""Configuration of the docs site: `python -m pip install ".[docs]" && sphinx-build -W docs site`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from simulator import __version__

project = "battle-odds"
author = copyright = "The battle-odds authors"
version = release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "site_pages"]
exclude_patterns = ["pictures", "rules"]
# Notebooks are shown with the outputs that are kept in them; the tests run them and compare.
nb_execution_mode = "off"
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
myst_links_external_new_tab = False
default_role = "code"
python_maximum_signature_line_length = 90
autodoc_member_order = "bysource"

html_theme = "pydata_sphinx_theme"
html_title = "battle-odds"
html_logo = html_favicon = "../simulator/web/static/icon.svg"
html_context = {"default_mode": "auto"}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_domain_indices = False
html_theme_options = {
    "logo": {"text": "battle-odds"},
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
}
