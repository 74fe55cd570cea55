/** `causeway-geodns steering [accept | revert POLICY RULE]`, `freeze` and `thaw`: what happens by itself. */
import type { Command } from 'commander';
import type { GeoDnsSteering } from '../../src/types/wire/geodns-answers.ts';
import { FilesError } from '../service/files.ts';
import { percent, print } from './output.ts';
import {
  oneOf,
  reasonFlag,
  type ServiceOptions,
  serviceOf,
  timeAfter,
  withServiceOptions,
} from './service-command.ts';

interface Options extends ServiceOptions {
  readonly for?: string;
  readonly reason?: string;
}

export function addSteering(program: Command): void {
  const command = program
    .command('steering')
    .description("what measured steering proposes and does; or an operator's word about a rule")
    .argument('[do]', 'accept a proposal, or revert what was steered')
    .argument('[policy]')
    .argument('[rule]', 'its number; 0 is the default')
    .option('--for <duration>', 'of revert: how long the rule is left alone; without it a day')
    .option(...reasonFlag);
  withServiceOptions(command).action(act);
}

export function addFreeze(program: Command): void {
  for (const [name, frozen, description] of [
    ['freeze', true, 'stop what happens by itself: measured steering and the weekly databases'],
    ['thaw', false, 'let measured steering and the weekly databases go on'],
  ] as const) {
    const command = program
      .command(name)
      .description(description)
      .requiredOption(...reasonFlag);
    withServiceOptions(command).action((options: ServiceOptions & { readonly reason: string }) =>
      setFrozen(frozen, options),
    );
  }
}

async function act(
  word: string | undefined,
  policy: string | undefined,
  rule: string | undefined,
  options: Options,
): Promise<void> {
  if (word !== undefined) return steer(word, policy, rule, options);
  const service = await serviceOf(options);
  const state = await service<GeoDnsSteering>({ method: 'GET', path: '/v1/steering' });
  print(options, state, linesOf(state));
}

async function steer(
  word: string,
  policy: string | undefined,
  rule: string | undefined,
  options: Options,
): Promise<void> {
  const what = oneOf('do', word, ['accept', 'revert']);
  const { reason } = options;
  if (policy === undefined || rule === undefined || reason === undefined)
    throw new FilesError([`usage: causeway-geodns steering ${what} POLICY RULE --reason TEXT`]);
  const until = options.for === undefined ? undefined : timeAfter(options.for);
  const service = await serviceOf(options);
  const path = `/v1/steering/${encodeURIComponent(policy)}/${encodeURIComponent(rule)}`;
  const done = await service<unknown>({ method: 'POST', path, body: { do: what, reason, until } });
  print(options, done, [
    `${policy} rule ${rule}: ${what === 'accept' ? 'accepted' : 'as it is written again'}`,
  ]);
}

async function setFrozen(
  frozen: boolean,
  options: ServiceOptions & { readonly reason: string },
): Promise<void> {
  const service = await serviceOf(options);
  const body = { frozen, reason: options.reason };
  const state = await service<Pick<GeoDnsSteering, 'isFrozen' | 'frozenNodes'>>({
    method: 'PUT',
    path: '/v1/freeze',
    body,
  });
  const nodes = state.frozenNodes.length === 0 ? '' : ` (nodes: ${state.frozenNodes.join(', ')})`;
  print(options, state, [state.isFrozen ? `frozen${nodes}` : 'not frozen']);
}

function linesOf({ mode, isFrozen, freeze, proposals, acting }: GeoDnsSteering): readonly string[] {
  const by = freeze === null ? '' : ` by ${freeze.author}: ${freeze.reason}`;
  return [
    `mode ${mode}${isFrozen ? `, frozen${by}` : ''}`,
    ...proposals.map(
      (one) =>
        `proposed  ${one.policy} rule ${one.rule}: ${one.from.join(', ')} -> ${one.to.join(', ')} (${percent(one.share)} of users; ${one.held ?? 'may happen now'}) ${one.reason}`,
    ),
    ...acting.map(
      (one) =>
        `${one.isActing ? 'acts     ' : 'left     '} ${one.policy} rule ${one.rule}: ${one.order.join(', ')} by ${one.author}: ${one.reason}`,
    ),
    ...(proposals.length + acting.length === 0 ? ['nothing is proposed, and nothing acts'] : []),
  ];
}
