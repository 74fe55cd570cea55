/**
 * Commands of operators: `POST /v1/overrides`, `/v1/release`, `/v1/freeze`, `/v1/thaw`, `/v1/reload`. A body is checked
 * and handed on; what it means is decided between two ticks, elsewhere.
 */
import {
  freezeRequest,
  type FreezeRequest,
  type OperatorAnswer,
  operatorAnswer,
  overrideRequest,
  type OverrideRequest,
  releaseRequest,
  type ReleaseRequest,
  reloadRequest,
  type ReloadRequest,
  thawRequest,
  type ThawRequest,
} from '../types/wire/operator.ts';
import type { WireSchema } from '../types/wire/json-schema.ts';
import type { AddRoutes } from './access.ts';
import { described } from './described.ts';
import { refuse, refuseBusy } from './refuse.ts';

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
      summary: string,
      schema: Schema<T> & WireSchema,
      carryOut: (request: T) => Promise<CommandResult>,
    ): void => {
      server.post(
        path,
        {
          bodyLimit,
          onRequest: (request, reply) => access.commanding(request, reply),
          schema: described({
            summary,
            description: '`dryRun: true` answers what would change and does nothing.',
            tag: 'commands',
            body: schema,
            answer: { kind: 'json', schema: operatorAnswer, says: 'What changed, or would change' },
            problems: ['unknown-name'],
            isCommand: true,
          }),
        },
        async (request, reply) => {
          const parsed = schema.safeParse(request.body);
          if (!parsed.success) return refuse(reply, 400, issuesText(parsed.error.issues));
          const result = await carryOut(parsed.data);
          if (result.kind === 'done') return reply.send(result.answer);
          if (result.status === 503) return refuseBusy(reply, result.detail);
          const code = result.status === 404 ? 'unknown-name' : undefined;
          return refuse(reply, result.status, result.detail, code);
        },
      );
    };
    command(
      '/v1/overrides',
      'Announce, drain or withdraw, whatever is measured',
      overrideRequest,
      (request) => commands.override(request),
    );
    command('/v1/release', 'End overrides', releaseRequest, (request) => commands.release(request));
    command('/v1/freeze', 'Hold the wish as it is', freezeRequest, (request) => commands.freeze(request));
    command('/v1/thaw', 'End the freeze', thawRequest, (request) => commands.thaw(request));
    command('/v1/reload', 'Read the config again', reloadRequest, (request) => commands.reload(request));
  };
}

/** Each part of the body that is wrong, with its path. */
function issuesText(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string {
  return issues
    .map(({ path, message }) => `${path.length === 0 ? 'the body' : path.map(String).join('.')}: ${message}`)
    .join('; ');
}
