// `npm run proto [DIR]`: copies the .proto files from a checkout, for a bot that leaves it.

import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { protoFolder } from './protos.js';

const here = dirname(fileURLToPath(import.meta.url));
const from = protoFolder(process.argv[2] ?? resolve(here, '../../../proto'));
const to = join(here, 'proto/damrak_proto/v1');

mkdirSync(to, { recursive: true });
for (const name of ['game', 'table', 'lobby']) {
  cpSync(join(from, `damrak_proto/v1/${name}.proto`), join(to, `${name}.proto`));
}
console.log(`copied to ${to}`);
