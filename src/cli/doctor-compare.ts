/**
 * `causeway doctor --compare`: fping as an independent witness. It pings every target through its uplink for a few seconds;
 * what it finds stands beside what the prober measured in the last minute. Needs the running daemon and fping 5.
 */
import { execa } from 'execa';
import { type Examined, finding } from '../host/doctor.ts';
import type { NodeConfig, Target, Uplink } from '../types/config.ts';
import { families, type Family } from '../types/units.ts';
import type { StatusDocument, TargetStatus } from '../types/wire/status.ts';

/** What fping says of one address. */
export interface Witness {
  readonly sent: number;
  readonly received: number;
  /** Mean round trip; null: nothing came back. */
  readonly rttMillis: number | null;
}

const pings = 20;
const gapMillis = 200;
/** Differences that two honest measurements of a few seconds and a minute do not have. */
const lossApart = 0.25;
const rttApart = { share: 0.5, millis: 5 };

/** One finding for each uplink and family that has pinged targets. */
export async function compareWithFping(
  config: NodeConfig,
  status: StatusDocument,
): Promise<readonly Examined[]> {
  const pairs = config.uplinks.flatMap((uplink) =>
    families.map((family) => ({ uplink, family, targets: pingedOf(uplink, family) })),
  );
  return Promise.all(
    pairs
      .filter(({ targets }) => targets.length > 0)
      .map(async ({ uplink, family, targets }) => {
        const output = await askFping(uplink, family, targets);
        const shown = status.uplinks.find((one) => one.uplink === uplink.name)?.families[family]?.targets;
        return {
          id: `compare-${uplink.name}${family}`,
          title: `fping beside the prober, ${uplink.name} IPv${family}`,
          finding: findingOf(targets, parseFping(output), shown ?? []),
        };
      }),
  );
}

function pingedOf(uplink: Uplink, family: Family): readonly Target[] {
  return uplink.targets.filter((target) => target.family === family && target.ping);
}

/** fping ends with 1 where a target is silent, which is an answer here. */
async function askFping(uplink: Uplink, family: Family, targets: readonly Target[]): Promise<string> {
  const source = uplink.source[family] ?? '';
  const pace = ['-q', '-c', String(pings), '-p', String(gapMillis), '-t', '1000'];
  const way = [`-${family}`, '-I', uplink.interface, '-S', source];
  const { stderr } = await execa('fping', [...pace, ...way, ...targets.map(({ address }) => address)], {
    reject: false,
    timeout: (pings * gapMillis + 10_000) * 2,
  });
  return stderr ?? '';
}

/** Lines such as `192.0.2.1 : xmt/rcv/%loss = 3/2/33%, min/avg/max = 1.02/1.10/1.20`; others are passed over. */
export function parseFping(output: string): ReadonlyMap<string, Witness> {
  const line =
    /^(\S+)\s+: xmt\/rcv\/%loss = (\d+)\/(\d+)\/\d+%(?:, min\/avg\/max = [\d.]+\/([\d.]+)\/[\d.]+)?/;
  return new Map(
    output.split('\n').flatMap((text) => {
      const [, address, sent, received, mean] = line.exec(text.trim()) ?? [];
      if (address === undefined) return [];
      const rttMillis = mean === undefined ? null : Number(mean);
      return [[address, { sent: Number(sent), received: Number(received), rttMillis }] as const];
    }),
  );
}

/** The two side by side; a warning where they differ by more than chance. */
export function findingOf(
  targets: readonly Target[],
  witnesses: ReadonlyMap<string, Witness>,
  shown: readonly TargetStatus[],
): Examined['finding'] {
  if (witnesses.size === 0)
    return { kind: 'skipped', text: 'fping said nothing: is it installed, and may it open sockets here?' };
  const rows = targets.flatMap((target) => {
    const witness = witnesses.get(target.address);
    const own = shown.find(({ address }) => address === target.address);
    return witness === undefined || own === undefined ? [] : [{ target, witness, own }];
  });
  const text = rows.map(({ target, witness, own }) => `${target.name} ${pairText(witness, own)}`).join('; ');
  const apart = rows.filter(({ witness, own }) => differ(witness, own));
  if (apart.length === 0) return { kind: 'ok', text: text === '' ? 'nothing to compare yet' : text };
  return finding('fping-differs', {
    what: `they differ on ${apart.map(({ target }) => target.name).join(', ')}: ${text}`,
    why: 'verdicts rest on what the prober measures; TCP, HTTP and DNS probes of a target are in its figures, not in fping’s',
    mend: 'compare again; if it stays, look at ping_group_range, rp_filter and packet filters of this interface',
  });
}

function differ(witness: Witness, own: TargetStatus): boolean {
  const { loss, rttP50Millis } = figuresOf(own);
  if (loss !== null && Math.abs(loss - lossOf(witness)) > lossApart) return true;
  if (rttP50Millis === null || witness.rttMillis === null) return false;
  const apart = Math.abs(rttP50Millis - witness.rttMillis);
  return apart > rttApart.millis && apart > rttApart.share * witness.rttMillis;
}

function figuresOf(own: TargetStatus): Pick<TargetStatus, 'loss' | 'rttP50Millis'> {
  return own.figures?.['1min'] ?? own;
}

function lossOf({ sent, received }: Witness): number {
  return sent === 0 ? 0 : 1 - received / sent;
}

function pairText(witness: Witness, own: TargetStatus): string {
  const { loss, rttP50Millis } = figuresOf(own);
  return `${halfText(loss, rttP50Millis)} (fping ${halfText(lossOf(witness), witness.rttMillis)})`;
}

function halfText(loss: number | null, rttMillis: number | null): string {
  const share = loss === null ? 'nothing measured' : `loss ${Math.round(loss * 100)} %`;
  return rttMillis === null ? share : `${share}, ${Number(rttMillis.toPrecision(3))} ms`;
}
