// Loads the protocol from its .proto files at start-up, without generated code.

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';

const HERE = dirname(fileURLToPath(import.meta.url));

// Returns the folder with damrak_proto/: named by the user, written by `damrak proto proto`, or in
// the checkout that this example is part of.
export function protoFolder(named) {
  const places = named ? [resolve(named)] : [join(HERE, 'proto'), resolve(HERE, '../../../../../proto')];
  const found = places.find((place) => existsSync(join(place, 'damrak_proto/v1/table.proto')));
  if (!found) {
    throw new Error(
      `no damrak_proto/v1/table.proto in ${places.join(' or ')}: run \`damrak proto proto\` here, or use --protos DIR`,
    );
  }
  return found;
}

// Returns the services Table and Lobby.
export function loadServices(folder) {
  const definition = protoLoader.loadSync(
    ['damrak_proto/v1/table.proto', 'damrak_proto/v1/lobby.proto'],
    {
      includeDirs: [folder],
      longs: String, // a JavaScript number cannot hold 64 bits: convert with BigInt(text)
      enums: String, // 'CARD_RED', not 5
      defaults: true, // absent numbers are 0, absent lists are empty
      oneofs: true, // `message` is the kind received; undefined for unknown kinds
    },
  );
  return grpc.loadPackageDefinition(definition).damrak.v1;
}
