/** `GET /healthz`, `GET /readyz` and `GET /v1/status`: a snapshot is sent; nothing is decided or awaited here. */
import { healthAnswer, readyAnswer, type ReadyAnswer } from '../types/wire/answers.ts';
import { statusDocument, type StatusDocument } from '../types/wire/status.ts';
import type { AddRoutes } from './access.ts';
import { described } from './described.ts';
import { sendKept } from './negotiate.ts';

/** The tick runs five times a second; one that is this late is stuck, and the node acts on nothing. */
export const stuckMillis = 5000;

const healthWords = described({
  summary: 'Whether the process lives and its ticks run',
  description: `503 when the last tick ended more than ${stuckMillis} ms ago. For supervisors: a restart may help.`,
  tag: 'status',
  answer: { kind: 'json', schema: healthAnswer, says: 'It does' },
  also: { 503: { schema: healthAnswer, says: 'The tick is stuck' } },
});

const readyWords = described({
  summary: 'Whether the daemon measures, sees BIRD and may act',
  description:
    'tick: a whole one has ended lately; bird: it was read; prober: it runs; first-window: a full window was measured.',
  tag: 'status',
  answer: { kind: 'json', schema: readyAnswer, says: 'All of the checks are good' },
  also: { 503: { schema: readyAnswer, says: 'One of them is not; its text says why' } },
});

const statusWords = described({
  summary: 'All that the daemon knows and does',
  description: 'Made once in a tick. An ETag stands for a document without regard to tickAgeMillis.',
  tag: 'status',
  answer: { kind: 'json', schema: statusDocument, says: 'The status document' },
});

export const statusRoutes: AddRoutes = (server, _access, snapshots) => {
  server.get('/healthz', { schema: healthWords }, (_request, reply) => {
    const { node, mode, tickAgeMillis } = snapshots.document();
    const ok = tickAgeMillis < stuckMillis;
    return reply.code(ok ? 200 : 503).send({ ok, node, mode, tickAgeMillis });
  });
  server.get('/readyz', { schema: readyWords }, (_request, reply) => {
    const answer = readinessOf(snapshots.document());
    return reply.code(answer.ready ? 200 : 503).send(answer);
  });
  server.get('/v1/status', { schema: statusWords }, (request, reply) =>
    sendKept(
      request,
      reply,
      snapshots.text('status', (document) => JSON.stringify(document)),
    ),
  );
};

/** From what the status shows. */
export function readinessOf(document: StatusDocument): ReadyAnswer {
  const checks = [tickCheck(document), birdCheck(document), proberCheck(document), windowCheck(document)];
  return { ready: checks.every(({ ok }) => ok), node: document.node, checks };
}

type Check = ReadyAnswer['checks'][number];

function tickCheck({ bird, tickAgeMillis }: StatusDocument): Check {
  const name = 'tick';
  if (bird.kind === 'starting') return { name, ok: false, text: 'no tick has ended yet' };
  const text = `the last tick ended ${Math.round(tickAgeMillis)} ms ago`;
  return { name, ok: tickAgeMillis < stuckMillis, text };
}

function birdCheck({ bird }: StatusDocument): Check {
  const name = 'bird';
  switch (bird.kind) {
    case 'seen':
      return { name, ok: true, text: `BIRD ${bird.version} at ${bird.path}` };
    case 'unreachable':
      return { name, ok: false, text: `BIRD is unreachable at ${bird.path}: ${bird.code}` };
    case 'starting':
      return { name, ok: false, text: `BIRD at ${bird.path} was not asked yet` };
  }
}

function proberCheck({ prober }: StatusDocument): Check {
  const name = 'prober';
  switch (prober.kind) {
    case 'running':
      return { name, ok: true, text: `the prober runs (${prober.engine}, pid ${prober.pid})` };
    case 'starting':
      return { name, ok: false, text: 'the prober is starting' };
    case 'unable':
      return { name, ok: false, text: `the prober cannot probe: ${prober.code}: ${prober.text}` };
    case 'silent':
      return { name, ok: false, text: `the prober is silent: ${prober.text}` };
  }
}

function windowCheck({ uplinks }: StatusDocument): Check {
  const waiting = uplinks.filter(({ families }) =>
    Object.values(families).some((family) => family?.reason === 'first-window'),
  );
  const names = waiting.map(({ uplink }) => uplink).join(', ');
  const text = waiting.length === 0 ? 'a full window was measured' : `too little was measured yet: ${names}`;
  return { name: 'first-window', ok: waiting.length === 0, text };
}
