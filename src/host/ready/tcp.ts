/** `tcp`: a connection that is accepted, and closed at once. */
import { connect } from 'node:net';
import type { ReadyEndpoint } from '../../types/ready-check.ts';
import type { ReadyOutcome } from '../../types/ready-outcome.ts';
import { outcomeOfError } from './trouble.ts';

/** Connects once; `signal` ends it. */
export function checkTcp({ host, port }: ReadyEndpoint, signal: AbortSignal): Promise<ReadyOutcome> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal });
    socket.once('connect', () => {
      resolve({ kind: 'pass', text: 'connected' });
      socket.destroy();
    });
    socket.on('error', (error) => resolve(outcomeOfError(error)));
  });
}
