// A Damrak bot in Node.js. `node bot.js --help` explains how to start it.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import grpc from '@grpc/grpc-js';

import { Lobby } from './lobby.js';
import { loadServices, protoFolder } from './protos.js';
import { Seat } from './seat.js';

const HELP = `usage: node bot.js [--to ADDRESS] [--games N] [--protos DIR] [--quiet]
       [--tls] [--tls-ca FILE] [--tls-cert FILE --tls-key FILE]

Waits in a referee's lobby and plays the games it is called to.

  --to ADDRESS    HOST:PORT or unix:PATH of the referee (or DAMRAK_ADDRESS)
  --games N       how many games at once (default: 2)
  --protos DIR    the folder that holds damrak_proto/ (or DAMRAK_PROTOS)
  --tls           encrypt; --tls-ca FILE names the authority if the system does not know it
  --tls-cert FILE and --tls-key FILE, if the referee wants to see a certificate
  --quiet         say nothing unless something is wrong

The bot's token is read from DAMRAK_TOKEN. With DAMRAK_TICKET instead it plays that one seat; with
neither it plays the one seat that the address stands for, as in the sandbox.`;

const CHANNEL = {
  'grpc.keepalive_time_ms': 30_000, // detect a dead connection within the grace period
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.initial_reconnect_backoff_ms': 200, // the default of one second is long for a move
  'grpc.max_reconnect_backoff_ms': 10_000,
};

function options() {
  const { values } = parseArgs({
    options: {
      to: { type: 'string', default: process.env.DAMRAK_ADDRESS },
      games: { type: 'string', default: '2' },
      protos: { type: 'string', default: process.env.DAMRAK_PROTOS },
      tls: { type: 'boolean', default: false },
      'tls-ca': { type: 'string' },
      'tls-cert': { type: 'string' },
      'tls-key': { type: 'string' },
      quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit(0);
  }
  if (!values.to) throw new Error('where to? --to HOST:PORT, or DAMRAK_ADDRESS');
  if (!/^([1-9]\d{0,2}|1000)$/.test(values.games)) throw new Error('--games: a number from 1 to 1000');
  if (!values['tls-cert'] !== !values['tls-key']) throw new Error('--tls-cert and --tls-key: both or none');
  return values;
}

// Creates clients, one pair per address; the empty address is that of the command line.
function connector(services, values) {
  const [ca, key, cert] = ['tls-ca', 'tls-key', 'tls-cert'].map((name) =>
    values[name] ? readFileSync(values[name]) : null,
  );
  const secured = values.tls || ca || cert;
  const credentials = secured
    ? grpc.credentials.createSsl(ca, key, cert)
    : grpc.credentials.createInsecure();
  const made = new Map();
  return (called) => {
    const address = called || values.to;
    if (!made.has(address)) {
      made.set(address, {
        lobby: new services.Lobby(address, credentials, CHANNEL),
        table: new services.Table(address, credentials, CHANNEL),
      });
    }
    return made.get(address);
  };
}

async function main() {
  const values = options();
  const services = loadServices(protoFolder(values.protos));
  const connect = connector(services, values);
  const log = values.quiet ? () => {} : (text) => console.log(text);
  const token = process.env.DAMRAK_TOKEN;
  if (!token) {
    log(await new Seat(connect('').table, process.env.DAMRAK_TICKET ?? '', log).play());
    return;
  }
  const lobby = new Lobby({ connect, token, games: Number(values.games), log });
  const stop = () => {
    process.once('SIGINT', () => process.exit(130));
    lobby.stop();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  await lobby.stay();
}

main().then(
  () => process.exit(0),
  (problem) => {
    console.error(`bot.js: ${problem.message}`);
    process.exit(1);
  },
);
