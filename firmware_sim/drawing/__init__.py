"""What all reports are made with: pages, tables, drawings in SVG, and the look of pictures."""
