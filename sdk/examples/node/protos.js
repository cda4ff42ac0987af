// The protocol, loaded from its .proto files when the bot starts: nothing is generated.

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';

const HERE = dirname(fileURLToPath(import.meta.url));

// Where the folder damrak_proto/ may be: named by the user, written by `damrak proto proto`, or the
// checkout that this example is part of.
export function protoFolder(named) {
  const places = named ? [resolve(named)] : [join(HERE, 'proto'), resolve(HERE, '../../../proto')];
  const found = places.find((place) => existsSync(join(place, 'damrak_proto/v1/table.proto')));
  if (!found) {
    throw new Error(
      `no damrak_proto/v1/table.proto in ${places.join(' or ')}: run \`damrak proto proto\` here, or use --protos DIR`,
    );
  }
  return found;
}

// The services Table and Lobby.
export function loadServices(folder) {
  const definition = protoLoader.loadSync(
    ['damrak_proto/v1/table.proto', 'damrak_proto/v1/lobby.proto'],
    {
      includeDirs: [folder],
      longs: String, // 64 bits are more than a JavaScript number holds: BigInt(text) where we count
      enums: String, // 'CARD_RED', not 5
      defaults: true, // absent numbers are 0, absent lists are empty
      oneofs: true, // `message` says which kind came; undefined for kinds we do not know
    },
  );
  return grpc.loadPackageDefinition(definition).damrak.v1;
}
