/** The config of the fleet's nodes: quick verdicts, a slow probe, short lives in Redis, two nodes that must remain. */
import type { NodeOptions } from '../node/config.ts';
import { databaseRooms } from '../network/names.ts';
import { masterName, sentinelPort } from './databases.ts';
import { databaseAddress } from './layout.ts';

/** `guards.keep_nodes` of every node. */
export const keepNodes = 2;

/** In milliseconds; the same stand in the config below. */
export const fleetPace = { publish: 500, expire: 3000, soak: 20_000, tokenLife: 3000, tokenWindow: 4000 };

/** Uplinks of a node that fail further apart than this are judged one by one. */
export const togetherMillis = 5000;

export const fleetOptions: NodeOptions = {
  patience: '2s',
  together: `${togetherMillis}ms`,
  probeInterval: '500ms',
  recovery: { clean: '2s', hold: '1s' },
  readiness: { alone: 'drain', boot: 'as-left' },
  keepNodes,
  fleet: {
    sentinel: {
      master: masterName,
      nodes: databaseRooms.map((room) => `${databaseAddress(room)}:${sentinelPort}`),
    },
    publish: `${fleetPace.publish}ms`,
    expire: `${fleetPace.expire}ms`,
    soak: `${fleetPace.soak}ms`,
    token: {
      life: `${fleetPace.tokenLife}ms`,
      nodes: 1,
      window: `${fleetPace.tokenWindow}ms`,
    },
  },
};
