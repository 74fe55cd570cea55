/** `haproxy`: a backend as HAProxy's own checks see it, asked over the stats socket. */
import { connect } from 'node:net';
import type { HaproxyProbe } from '../../types/ready-check.ts';
import type { ReadyOutcome } from '../../types/ready-outcome.ts';
import { judgeStat } from './haproxy-stat.ts';
import { outcomeOfError } from './trouble.ts';

/** A backend of some thousand servers; more is not HAProxy. */
const mostBytes = 8_388_608;

/** Asks once, on a new connection that HAProxy closes behind its answer; `signal` ends it. */
export function checkHaproxy(probe: HaproxyProbe, signal: AbortSignal): Promise<ReadyOutcome> {
  return new Promise((resolve) => {
    const socket = connect({ path: probe.socket, signal });
    const chunks: Buffer[] = [];
    let bytes = 0;
    // Types of rows as a sum: 2 backends, 4 servers. All ids: -1.
    socket.once('connect', () => socket.write(`show stat ${probe.backend} 6 -1\n`));
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= mostBytes) return;
      resolve({ kind: 'fail', text: 'an answer of more than 8 MiB' });
      socket.destroy();
    });
    socket.once('end', () => resolve(judgeStat(Buffer.concat(chunks).toString('utf8'), probe)));
    socket.on('error', (error) => resolve(outcomeOfError(error)));
  });
}
