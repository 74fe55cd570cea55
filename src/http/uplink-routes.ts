/** `GET /v1/uplinks/:uplink` and `GET /v1/explain/:uplink`: one uplink, and why its announcements are as they are. */
import type { StatusDocument } from '../types/wire/status.ts';
import type { AddRoutes } from './access.ts';
import { problem, problemType } from './problem.ts';

/** Of one announcement. */
export interface Explanation {
  readonly service: string;
  readonly uplink: string;
  readonly family: 4 | 6;
  /** What is done, why, and what would change it. */
  readonly lines: readonly string[];
}

export interface UplinkSource {
  readonly status: () => StatusDocument;
  /** Null: no tick has ended yet. */
  readonly explain: (uplink: string) => readonly Explanation[] | null;
}

export function uplinkRoutes({ status, explain }: UplinkSource): AddRoutes {
  return (server) => {
    server.get<{ Params: { uplink: string } }>('/v1/uplinks/:uplink', (request, reply) => {
      const { uplinks } = status();
      const found = uplinks.find(({ uplink }) => uplink === request.params.uplink);
      return found === undefined
        ? reply
            .code(404)
            .type(problemType)
            .send(problem(404, unknownText(uplinks)))
        : reply.send(found);
    });
    server.get<{ Params: { uplink: string } }>('/v1/explain/:uplink', (request, reply) => {
      const { uplink } = request.params;
      const { uplinks } = status();
      if (!uplinks.some((one) => one.uplink === uplink))
        return reply
          .code(404)
          .type(problemType)
          .send(problem(404, unknownText(uplinks)));
      const announcements = explain(uplink);
      return announcements === null
        ? reply.code(503).type(problemType).send(problem(503, 'no tick has ended yet: ask again in a second'))
        : reply.send({ schema: 1, uplink, announcements });
    });
  };
}

function unknownText(uplinks: StatusDocument['uplinks']): string {
  return `no such uplink here: ${uplinks.map(({ uplink }) => uplink).join(', ')}`;
}
