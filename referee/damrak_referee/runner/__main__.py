"""Entry point of `python -m damrak_referee.runner DESCRIPTOR`, started only by a referee."""

from damrak_referee.runner.service import main

main()
