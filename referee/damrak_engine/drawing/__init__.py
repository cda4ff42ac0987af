"""A board as a picture: where everything lies on the sheet, and the SVG drawn from it."""

from damrak_engine.drawing.clarity import Flaw, flaws_of
from damrak_engine.drawing.picture import draw

__all__ = ["Flaw", "draw", "flaws_of"]
