"""British English as Django knows it, but with a clock of 24 hours."""

from django.conf.locale.en_GB.formats import (  # type: ignore[import-untyped]
    DATE_INPUT_FORMATS,
    DATETIME_INPUT_FORMATS,
    DECIMAL_SEPARATOR,
    FIRST_DAY_OF_WEEK,
    MONTH_DAY_FORMAT,
    NUMBER_GROUPING,
    SHORT_DATE_FORMAT,
    THOUSAND_SEPARATOR,
    YEAR_MONTH_FORMAT,
)

__all__ = [
    "DATETIME_FORMAT",
    "DATETIME_INPUT_FORMATS",
    "DATE_FORMAT",
    "DATE_INPUT_FORMATS",
    "DECIMAL_SEPARATOR",
    "FIRST_DAY_OF_WEEK",
    "MONTH_DAY_FORMAT",
    "NUMBER_GROUPING",
    "SHORT_DATETIME_FORMAT",
    "SHORT_DATE_FORMAT",
    "THOUSAND_SEPARATOR",
    "TIME_FORMAT",
    "YEAR_MONTH_FORMAT",
]

DATE_FORMAT = "j F Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "j F Y, H:i"
SHORT_DATETIME_FORMAT = "d/m/Y H:i"
