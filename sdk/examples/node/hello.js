// What we say about ourselves first on every connection.

export const HELLO = { lowestVersion: 1, highestVersion: 1, software: 'damrak-example-node/0.1.0' };
