"""Drawing of boards: the layout on a sheet, its readability checks, and the SVG."""

from damrak_engine.drawing.clarity import Flaw, flaws_of
from damrak_engine.drawing.picture import draw

__all__ = ["Flaw", "draw", "flaws_of"]
