"""`python -m damrak_referee.runner DESCRIPTOR`: only a referee starts this."""

from damrak_referee.runner.service import main

main()
