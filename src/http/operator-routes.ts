/**
 * Commands of operators: `POST /v1/overrides`, `/v1/release`, `/v1/freeze`, `/v1/thaw`, `/v1/reload`. A body is checked
 * and handed on; what it means is decided between two ticks, elsewhere.
 */
import type { FastifyReply } from 'fastify';
import {
  freezeRequest,
  type FreezeRequest,
  type OperatorAnswer,
  overrideRequest,
  type OverrideRequest,
  releaseRequest,
  type ReleaseRequest,
  reloadRequest,
  type ReloadRequest,
  thawRequest,
  type ThawRequest,
} from '../types/wire/operator.ts';
import type { AddRoutes } from './access.ts';
import { problem, problemType } from './problem.ts';

/** What came of a command. */
export type CommandResult =
  | { readonly kind: 'done'; readonly answer: OperatorAnswer }
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string };

export interface OperatorCommands {
  override(request: OverrideRequest): Promise<CommandResult>;
  release(request: ReleaseRequest): Promise<CommandResult>;
  freeze(request: FreezeRequest): Promise<CommandResult>;
  thaw(request: ThawRequest): Promise<CommandResult>;
  reload(request: ReloadRequest): Promise<CommandResult>;
}

/** An operator's words are short. */
const bodyLimit = 8 * 1024;

/** The part of a zod schema that is used here. */
interface Schema<T> {
  safeParse(value: unknown):
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
        };
      };
}

export function operatorRoutes(commands: OperatorCommands): AddRoutes {
  return (server, access) => {
    const command = <T>(
      path: string,
      schema: Schema<T>,
      carryOut: (request: T) => Promise<CommandResult>,
    ): void => {
      server.post(
        path,
        { bodyLimit, onRequest: (request, reply) => access.commanding(request, reply) },
        async (request, reply) => {
          const parsed = schema.safeParse(request.body);
          if (!parsed.success) return refuse(reply, 400, issuesText(parsed.error.issues));
          const result = await carryOut(parsed.data);
          return result.kind === 'done'
            ? reply.send(result.answer)
            : refuse(reply, result.status, result.detail);
        },
      );
    };
    command('/v1/overrides', overrideRequest, (request) => commands.override(request));
    command('/v1/release', releaseRequest, (request) => commands.release(request));
    command('/v1/freeze', freezeRequest, (request) => commands.freeze(request));
    command('/v1/thaw', thawRequest, (request) => commands.thaw(request));
    command('/v1/reload', reloadRequest, (request) => commands.reload(request));
  };
}

function refuse(reply: FastifyReply, status: number, detail: string): FastifyReply {
  return reply.code(status).type(problemType).send(problem(status, detail));
}

/** Each part of the body that is wrong, with its path. */
function issuesText(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string {
  return issues
    .map(({ path, message }) => `${path.length === 0 ? 'the body' : path.map(String).join('.')}: ${message}`)
    .join('; ');
}
