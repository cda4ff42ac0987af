"""Style of boards: the style sheet, and one sign per colour for readers who are colour-blind.

The middle of each space shows the sign of its colour. Colours are CSS variables, with a second set
for dark mode.
"""

from __future__ import annotations

from typing import Final

FONT: Final = "Georgia, 'Liberation Serif', 'Times New Roman', serif"

TITLE_SIZE: Final = 24

LIGHT: Final = """
--paper: #f6eedc; --edge: #cdbb94; --ink: #2e2a24; --faint: #8a7c62;
  --water: #c5dadd; --quay: #e3d5b6; --bed: #e9dec4; --place: #fffaf0;
  --pink: #e79abb; --blue: #3f7fbf; --green: #4c9a5b; --black: #3a3835; --red: #c8402f;
  --orange: #ec9a35; --grey: #c9c5bb; --rim: #4b4337; --light: #ffffff; --dark: #2b1d12
"""
DARK: Final = """
--paper: #24221e; --edge: #55492f; --ink: #efe6d3; --faint: #a3977f;
    --water: #24424b; --quay: #3d372b; --bed: #37322a; --place: #efe6d3;
    --pink: #d487a9; --blue: #4f8fd0; --green: #55a565; --black: #0f0e0d; --red: #d04e3d;
    --orange: #e29a3f; --grey: #9b978d; --rim: #d8cbb0; --light: #ffffff; --dark: #1c120a
"""
RULES: Final = """
.damrak text { font-family: FONT; fill: var(--ink) }
.damrak .paper { fill: var(--paper); stroke: var(--edge); stroke-width: 2 }
.damrak .quay { fill: none; stroke: var(--quay); stroke-width: 22 }
.damrak .water { fill: none; stroke: var(--water); stroke-width: 15 }
.damrak .lead { fill: none; stroke: var(--edge); stroke-width: 5 }
.damrak .bed { fill: var(--bed); stroke: var(--edge) }
.damrak .space { stroke: var(--rim); stroke-width: 1.2 }
.damrak .pink { fill: var(--pink) } .damrak .blue { fill: var(--blue) }
.damrak .green { fill: var(--green) } .damrak .black { fill: var(--black) }
.damrak .red { fill: var(--red) } .damrak .orange { fill: var(--orange) }
.damrak .grey { fill: var(--grey); stroke-dasharray: 5 2.5 }
.damrak .sign { fill: none; stroke: var(--light); stroke-width: 1.9; stroke-linecap: round;
  stroke-linejoin: round }
.damrak .on-light { stroke: var(--dark) }
.damrak .cart { fill: var(--place); stroke: var(--dark); stroke-width: 1.3 }
.damrak .place { fill: var(--paper); stroke: var(--rim); stroke-width: 3 }
.damrak .core { fill: var(--rim) }
.damrak .name { font-size: NAMEpx; font-weight: 600; paint-order: stroke;
  stroke: var(--paper); stroke-width: 4; stroke-linejoin: round }
.damrak .title { font-size: TITLEpx; font-style: italic }
.damrak .note { font-size: 13px; fill: var(--faint) }
"""
STYLE: Final = (
    f".damrak {{ {LIGHT.strip()} }}\n@media (prefers-color-scheme: dark) {{\n"
    f"  .damrak {{ {DARK.strip()} }}\n}}{RULES}"
)

# Each within 6 pixels of the origin.
SIGNS: Final = {
    "pink": "M0 -4.6A4.6 4.6 0 1 1 -0.01 -4.6Z",
    "blue": "M-6 -2q3 -3.2 6 0t6 0M-6 3q3 -3.2 6 0t6 0",
    "green": "M-5.2 4.4L0 -4.8L5.2 4.4Z",
    "black": "M-4.2 -4.2L4.2 4.2M-4.2 4.2L4.2 -4.2",
    "red": "M0 -5.4L5.4 0L0 5.4L-5.4 0Z",
    "orange": "M-4.5 -4.6V4.6M0 -4.6V4.6M4.5 -4.6V4.6",
}
ON_LIGHT: Final = ("pink", "orange")  # colours that need a dark sign

CART: Final = (  # a box on one large wheel, its shafts to the left
    "M-11 -1.5L-5 -1.5M-5.5 -6H8L6.5 1.5H-5.5Z"
    "M1.2 -1.4A3.9 3.9 0 1 1 1.19 -1.4ZM1.2 -1.4V6.4M-2.7 2.5H5.1"
)
