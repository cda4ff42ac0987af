// Tests of the bot: run `node --test` in this folder, after `npm ci`. `damrak` must be installed.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { counts, members } from './packed.js';

const HERE = dirname(fileURLToPath(import.meta.url));

test('packed counts and sets are unpacked', () => {
  assert.equal(counts((3n << 8n) + 1n).CARD_BLUE, 3);
  assert.deepEqual(members(0b1010), [1, 3]);
});

test('the bot plays a match against itself as the protocol demands', () => {
  const bot = [process.execPath, 'bot.js', '--quiet'];
  const test = ['conform', '127.0.0.1:0', '--only=two-seats', '--', ...bot];
  const done = spawnSync('damrak', test, { cwd: HERE, encoding: 'utf8' });
  assert.ifError(done.error);
  assert.equal(done.status, 0, done.stdout + done.stderr);
});
