"""Messages of lower layers: patterns, and their translatable texts.

In a pattern the group named `inner` is itself such a message, and `list` several of them.
"""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

_OTHERS: Final = r" (?P<inner>\(.*\))"
_FAILED: Final = r"(?P<detail>(?:: .*)?) (?P<inner>\(game .*\))\."
SAID: Final[tuple[tuple[str, Any], ...]] = (
    (
        r"The account of its author was deleted\.",
        _("The account of its author was deleted."),
    ),
    (
        r"no more than (?P<most>\d+) bots",
        _("You can have no more than %(most)s bots."),
    ),
    (
        r"no more than (?P<most>\d+) submissions an hour",
        _("No more than %(most)s submissions an hour are taken. Come back later."),
    ),
    (
        r"no more than (?P<most>\d+) MB of archives",
        _("Your archives may take no more than %(most)s MB together."),
    ),
    (
        r"no more than (?P<most>\d+) tokens; revoke one first",
        _("You can have no more than %(most)s tokens. Revoke one first."),
    ),
    (
        r"no more than (?P<most>\d+) tests at once; wait for one or cancel it",
        _("No more than %(most)s of your tests run at once. Wait for one, or cancel it."),
    ),
    (
        r"(?P<version>\S+) is not yours to test",
        _("%(version)s is not yours to test."),
    ),
    (
        r"(?P<version>\S+) is neither yours nor live",
        _("%(version)s is neither yours nor live."),
    ),
    (
        r"a version is as good as itself",
        _("A version is as good as itself. Choose two."),
    ),
    (
        r"(?P<version>\S+) is (?P<state>\w+); only what has qualified is (?:tested|a canary)",
        _("%(version)s has not qualified, and only what has qualified plays."),
    ),
    (
        r"a remote bot is there once, .*",
        _("A remote bot is connected once only, so its versions cannot meet."),
    ),
    (
        r"(?P<ladder>.+) is closed",
        _("%(ladder)s is closed."),
    ),
    (
        r"(?P<ladder>.+) cannot be played by two",
        _("%(ladder)s cannot be played by two."),
    ),
    (
        r".+ does not admit \w+ bots|.+ is for: .*; \S+ is \w+",
        _("That ladder does not take bots of this kind."),
    ),
    (
        r"(?P<bot>\S+) has no version yet; submit one first",
        _("%(bot)s has no version yet. Submit one first."),
    ),
    (
        r"nothing waits for this code.*",
        _("Nothing waits for this code. Look for a typing mistake, or have a new one shown."),
    ),
    (
        r"somebody has decided about it already",
        _("Somebody has decided about it already."),
    ),
    (
        r"(?:nobody approved|there is no such|its token has been) .*; begin again",
        _("It is too late for that. Begin again in the terminal."),
    ),
    (
        r"the archive is larger than (?P<most>\d+) MiB",
        _("The archive is larger than %(most)s MiB."),
    ),
    (
        r"it holds more than (?P<most>\d+) MiB",
        _("It holds more than %(most)s MiB."),
    ),
    (
        r"it holds more than (?P<most>\d+) times its own size",
        _("It holds more than %(most)s times its own size."),
    ),
    (
        r"there are more than (?P<most>\d+) files in it",
        _("There are more than %(most)s files in it."),
    ),
    (
        r"the archive (?:is damaged or cut off|is cut off|cannot be read): .*",
        _("The archive is damaged or cut off. Pack it again."),
    ),
    (
        r"the archive takes too much (?:time or )?memory to be read",
        _("The archive takes too much time or memory to be read."),
    ),
    (
        r"the archive is encrypted|zip archives have to be stored or deflated",
        _("Zip archives may not be encrypted, and have to be stored or deflated."),
    ),
    (
        r"(?:links are not taken|not a file or folder|setuid, .* are not taken): .*",
        _("Only plain files and folders are taken: no links, no special files, no setuid bits."),
    ),
    (
        r"a name (?:is (?:not plain|not relative|too long)|leads elsewhere)[^:]*: (?P<name>.*)",
        _("A name in it is not a plain relative path in UTF-8: %(name)s"),
    ),
    (
        r".* is (?:both a file and a folder|there twice|not as long as the archive says)",
        _("The archive contradicts itself. Pack it again."),
    ),
    (
        r"there is no (?P<entry>\S+?),? and (?:no )?(?P<description>\S+) (?:at its top|has no run)",
        _("At its top there is neither %(entry)s nor a %(description)s that says what to run."),
    ),
    (
        r"Not qualified\. (?P<inner>.*)",
        _("Not qualified. %(inner)s"),
    ),
    (
        r"It took longer than its time control allows" + _FAILED,
        _("It took longer than its time control allows%(detail)s %(inner)s."),
    ),
    (
        r"It crashed" + _FAILED,
        _("It crashed%(detail)s %(inner)s."),
    ),
    (
        r"Its connection was lost" + _FAILED,
        _("Its connection was lost%(detail)s %(inner)s."),
    ),
    (
        r"It chose actions that are not legal too often" + _FAILED,
        _("It chose illegal actions too often%(detail)s %(inner)s."),
    ),
    (
        r"It used more memory than the sandbox allows" + _FAILED,
        _("It used more memory than the sandbox allows%(detail)s %(inner)s."),
    ),
    (
        r"It did not keep to the protocol" + _FAILED,
        _("It did not keep to the protocol%(detail)s %(inner)s."),
    ),
    (
        r"(?P<count>\d+) of its latest (?P<games>\d+) games ended with .* \((?P<list>.*)\)",
        _("%(count)s of its latest %(games)s games ended with a fault of its own (%(list)s)."),
    ),
    (
        r"Benched: (?P<inner>.*)\. A new version gets the bot back into play\.",
        _("Benched: %(inner)s A new version gets the bot back into play."),
    ),
    (
        r"Restored: .*",
        _("Restored: the games it was benched for were played on a host that is not trusted."),
    ),
    (
        r"Version (?P<number>\d+) connects in its place\.",
        _("Version %(number)s connects in its place."),
    ),
    (
        r"\(game (?P<game>\d+), match (?P<match>\d+), seat (?P<seat>\d+)\)",
        _("(game %(game)s, match %(match)s, seat %(seat)s)"),
    ),
    (
        r"(?P<bytes>[\d,]+) bytes, SHA-256 (?P<sha>\S+)",
        _("%(bytes)s bytes, SHA-256 %(sha)s"),
    ),
    (
        r"registered; it qualifies as soon as it is connected",
        _("Registered: it qualifies as soon as it is connected."),
    ),
    (
        r"Queued: it plays (?P<rivals>.*) on (?P<board>\S+), in the sandbox\.",
        _("Queued: it plays %(rivals)s on %(board)s, in the sandbox."),
    ),
    (
        r"Queued: it plays (?P<rivals>.*) on (?P<board>\S+), as soon as it is connected\.",
        _("Queued: it plays %(rivals)s on %(board)s, as soon as it is connected."),
    ),
    (
        r"Its qualification block (?P<number>\d+) is being played\.",
        _("Its qualification block %(number)s is being played."),
    ),
    (
        r"Its qualification block (?P<number>\d+) was played\.",
        _("Its qualification block %(number)s was played."),
    ),
    (
        r"Qualified: it played all (?P<games>\d+) games of block (?P<number>\d+) without a fault\.",
        _("Qualified: it played all %(games)s games of block %(number)s without a fault."),
    ),
    (
        r"Version (?P<number>\d+) is newer and stays live\. Make this one live if you like\.",
        _("Version %(number)s is newer and stays live. Make this one live if you like."),
    ),
    (
        r"Live, and entered on (?P<ladders>.*)\.",
        _("Live, and entered on %(ladders)s."),
    ),
    (
        r"Live: it plays for its bot from now on\.",
        _("Live: it plays for its bot from now on."),
    ),
    (
        r"A canary now on (?P<ladders>.*): shadow games that count for its own estimate only\.",
        _("A canary now on %(ladders)s: shadow games that count for its own estimate only."),
    ),
    (
        r"Queued again: the host that it failed on was not to be trusted\.",
        _("Queued again: the host that it failed on was not to be trusted."),
    ),
    (
        r"Queued again, because its connection broke: (?P<inner>.*)\.",
        _("Queued again, because its connection broke: %(inner)s."),
    ),
    (
        r"Its block (?P<number>\d+) could not be played\. Staff has been told\.",
        _("Its block %(number)s could not be played. Staff has been told."),
    ),
    (
        r"No ladder is open to it, so it plays nowhere as a canary\. Make it live at any time\.",
        _("No ladder is open to it, so it plays nowhere as a canary. Make it live at any time."),
    ),
    (
        r"As a canary on (?P<ladder>.+) it reached (?P<elo>-?\d+) Elo, between (?P<low>-?\d+)"
        r" and (?P<high>-?\d+)\. Make it live if that pleases you\.",
        _(
            "As a canary on %(ladder)s it reached %(elo)s Elo, between %(low)s and %(high)s. Make"
            " it live if that pleases you."
        ),
    ),
    (
        r"version (?P<version>\d+) scores differently here than elsewhere" + _OTHERS,
        _("Version %(version)s scores differently here than elsewhere %(inner)s."),
    ),
    (
        r"results stray from what ratings foretell more than elsewhere" + _OTHERS,
        _("Results stray from what ratings foretell more than elsewhere %(inner)s."),
    ),
    (
        r"bots think (?P<effect>[\d.]+) times as long as elsewhere" + _OTHERS,
        _("Bots think %(effect)s times as long as elsewhere %(inner)s."),
    ),
    (
        r"bots fail (?P<effect>[\d.]+) times as often as elsewhere" + _OTHERS,
        _("Bots fail %(effect)s times as often as elsewhere %(inner)s."),
    ),
    (
        r"attempts come to nothing (?P<effect>[\d.]+) times as often as elsewhere" + _OTHERS,
        _("Attempts come to nothing %(effect)s times as often as elsewhere %(inner)s."),
    ),
    (
        r"\((?P<here>\d+) against (?P<elsewhere>\d+), chance of an accident (?P<chance>\S+)\)",
        _("(%(here)s against %(elsewhere)s, chance of an accident %(chance)s)"),
    ),
    (
        r"(?P<inner>[a-z ]+); the lead is about (?P<value>\S+) Elo"
        r" \(between (?P<low>\S+) and (?P<high>\S+)\)",
        _("%(inner)s; the lead is about %(value)s Elo (between %(low)s and %(high)s)"),
    ),
    (
        r"Two players on the board Amsterdam: the classic\.",
        _("Two players on the board Amsterdam: the classic."),
    ),
    (
        r"Two, three and four players on boards that did not exist yesterday\.",
        _("Two, three and four players on boards that did not exist yesterday."),
    ),
    (r"better", _("better")),
    (r"not better", _("not better")),
    (r"undecided", _("undecided")),
    (
        r"no worker is running",
        _("no worker is running"),
    ),
    (
        r"waits for (?P<bots>.*) to connect",
        _("it waits for %(bots)s to connect"),
    ),
    (
        r"(?P<bots>.*) are connected to different hosts, and so cannot meet",
        _("%(bots)s are connected to different hosts, and so cannot meet"),
    ),
    (r"(?P<count>\d+) x (?P<inner>\w+)", _("%(inner)s: %(count)s")),
    (r"timeout", _("out of time")),
    (r"crash", _("crashed")),
    (r"disconnect", _("disconnected")),
    (r"illegal", _("illegal action")),
    (r"memory", _("out of memory")),
    (r"protocol", _("broke the protocol")),
)
