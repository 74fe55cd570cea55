/** `GET /v1/uplinks/:uplink` and `GET /v1/explain/:uplink`: one uplink, and why its announcements are as they are. */
import { explainAnswer, type Explanation, uplinkParams } from '../types/wire/answers.ts';
import { type StatusDocument, uplinkStatus } from '../types/wire/status.ts';
import type { AddRoutes } from './access.ts';
import { described } from './described.ts';
import { sendKept } from './negotiate.ts';
import { refuse } from './refuse.ts';

/** Null: no tick has ended yet. */
export type ExplainUplink = (uplink: string) => readonly Explanation[] | null;

interface Asked {
  readonly Params: { readonly uplink: string };
}

const uplinkWords = described({
  summary: 'One uplink, as in the status document',
  tag: 'status',
  params: uplinkParams,
  answer: { kind: 'json', schema: uplinkStatus, says: 'The uplink' },
  problems: ['unknown-name'],
});

const explainWords = described({
  summary: 'Why the announcements of an uplink are as they are',
  tag: 'status',
  params: uplinkParams,
  answer: { kind: 'json', schema: explainAnswer, says: 'Three lines for each announcement' },
  problems: ['unknown-name', 'not-yet'],
});

export function uplinkRoutes(explain: ExplainUplink): AddRoutes {
  return (server, _access, snapshots) => {
    server.get<Asked>('/v1/uplinks/:uplink', { schema: uplinkWords }, (request, reply) => {
      const { uplink } = request.params;
      const { uplinks } = snapshots.document();
      const found = uplinks.find((one) => one.uplink === uplink);
      if (found === undefined) return refuse(reply, 404, unknownText(uplinks), 'unknown-name');
      return sendKept(
        request,
        reply,
        snapshots.text(`uplink ${uplink}`, () => JSON.stringify(found)),
      );
    });
    server.get<Asked>('/v1/explain/:uplink', { schema: explainWords }, (request, reply) => {
      const { uplink } = request.params;
      const { uplinks, bird } = snapshots.document();
      if (!uplinks.some((one) => one.uplink === uplink))
        return refuse(reply, 404, unknownText(uplinks), 'unknown-name');
      const later = 'no tick has ended yet: ask again in a second';
      if (bird.kind === 'starting') return refuse(reply, 503, later, 'not-yet');
      const answer = snapshots.text(`explain ${uplink}`, () =>
        JSON.stringify({ schema: 1, uplink, announcements: explain(uplink) ?? [] }),
      );
      return sendKept(request, reply, answer);
    });
  };
}

function unknownText(uplinks: StatusDocument['uplinks']): string {
  return `no such uplink here: ${uplinks.map(({ uplink }) => uplink).join(', ')}`;
}
