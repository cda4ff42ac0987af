// The first message on every connection: versions and software of this bot.

export const HELLO = { lowestVersion: 1, highestVersion: 1, software: 'damrak-example-node/0.1.0' };
