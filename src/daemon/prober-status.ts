/** The prober's state in the words of the status document. */
import type { StatusDocument } from '../types/wire/status.ts';
import type { ProberState } from './prober.ts';

export function proberStatus(state: ProberState): StatusDocument['prober'] {
  switch (state.kind) {
    case 'starting':
      return { kind: 'starting' };
    case 'running':
      return {
        kind: 'running',
        engine: state.engine,
        pid: state.pid,
        lagMillis: state.lagMillis,
        strays: state.strays,
        rssBytes: state.rssBytes,
      };
    case 'silent':
      return { kind: 'silent', text: 'no message for more than 2 s' };
    case 'restarting':
      return { kind: 'silent', text: `being started again, attempt ${state.attempt}` };
    case 'unable':
      return { kind: 'unable', code: state.code, text: state.text };
  }
}
