"""Building blocks of all reports: pages, tables, charts in SVG, and the style of pictures."""
