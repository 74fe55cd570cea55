/**
 * Asks the kernel whether each uplink's probes would leave by that uplink, as sockets bound to its source and interface
 * do. Two processes of `ip` in all, one a family, so it can run at each change and every few seconds.
 */
import type { NodeConfig, Uplink } from '../types/config.ts';
import type { LinkView, RouteFact } from '../types/link-view.ts';
import type { NotRunReason } from '../types/outcome.ts';
import { families, type Family } from '../types/units.ts';
import { IpError, ipBatch, systemIp, type BatchAnswer, type IpCommand } from './ip-command.ts';
import { isRecord } from '../types/is-record.ts';
import { parseLinks } from './link-view.ts';
import { routingPlan, type RoutingPlan } from './routing.ts';
import { addRuleCommand, routeCommand } from './routing-text.ts';
import { hasRule } from './rule-match.ts';

/** One fact for each uplink and family that has a source. Throws IpError where the kernel cannot be asked. */
export async function checkRouting(
  config: NodeConfig,
  ip: IpCommand = systemIp,
): Promise<readonly RouteFact[]> {
  const plan = routingPlan(config);
  const perFamily = await Promise.all(families.map((family) => checkFamily(config, plan, family, ip)));
  return config.uplinks.flatMap((uplink) =>
    perFamily.flatMap((facts) => facts.filter((fact) => fact.uplink === uplink.name)),
  );
}

interface Question {
  readonly uplink: Uplink;
  readonly family: Family;
  readonly source: string;
  readonly gateway: string;
  /** The address that is looked up: a first target, or the gateway where there is none. */
  readonly destination: string;
}

async function checkFamily(
  config: NodeConfig,
  plan: RoutingPlan,
  family: Family,
  ip: IpCommand,
): Promise<readonly RouteFact[]> {
  const questions = config.uplinks.flatMap((uplink) => question(uplink, family));
  if (questions.length === 0) return [];
  const lookups = questions.flatMap(({ uplink, source, destination, gateway }) =>
    [destination, gateway].map((address) => `route get ${address} from ${source} oif ${uplink.interface}`),
  );
  const answers = await ipBatch(ip, family, ['rule show', 'link show', 'addr show', ...lookups]);
  const rules = valueOf(answers[0], 'rule show');
  const links = parseLinks(valueOf(answers[1], 'link show'));
  const addresses = parseLinks(valueOf(answers[2], 'addr show'));
  return questions.map((asked, index) => {
    const missing = plan.rules
      .filter((rule) => rule.uplink === asked.uplink.name && rule.family === family)
      .filter((rule) => !hasRule(rules, rule))
      .map(addRuleCommand);
    const found = [answers[3 + 2 * index], answers[4 + 2 * index]];
    return judge(asked, plan, { links, addresses, missing, beyond: found[0], gateway: found[1] });
  });
}

function question(uplink: Uplink, family: Family): readonly Question[] {
  const source = uplink.source[family];
  const gateway = uplink.gateway[family];
  if (source === undefined || gateway === undefined) return [];
  const target = uplink.targets.find((each) => each.family === family);
  return [{ uplink, family, source, gateway, destination: target?.address ?? gateway }];
}

interface Found {
  readonly links: LinkView;
  readonly addresses: LinkView;
  readonly missing: readonly string[];
  readonly beyond: BatchAnswer | undefined;
  readonly gateway: BatchAnswer | undefined;
}

/** The ladder: the first that is wrong is the reason. */
function judge(asked: Question, plan: RoutingPlan, found: Found): RouteFact {
  const { uplink, family, source, gateway, destination } = asked;
  const device = uplink.interface;
  const wrong = (why: NotRunReason, text: string, mend: string): RouteFact => ({
    kind: 'wrong',
    uplink: uplink.name,
    family,
    why,
    text,
    mend,
  });
  const link = found.links.links.get(device);
  if (link === undefined)
    return wrong(
      'interface-missing',
      `interface ${device} is not there`,
      `ip -br link  # then put the right name into uplinks.${uplink.name}.interface, or bring ${device} back`,
    );
  if (!link.up) {
    return wrong(
      'interface-down',
      `interface ${device} is down or has no carrier`,
      `ip link set ${device} up`,
    );
  }
  if (found.addresses.links.get(device)?.addresses.includes(source) !== true) {
    return wrong(
      'source-missing',
      `${device} does not have the source address ${source}, or its duplicate check is not over`,
      `ip -${family} addr add ${source}/LENGTH dev ${device}  # LENGTH: of the link's prefix`,
    );
  }
  const mend = mending(asked, plan, found.missing, false);
  const turn = mending(asked, plan, found.missing, true);
  const beyond = wayOf(found.beyond, destination);
  const near = wayOf(found.gateway, gateway);
  const asks = `${destination} from ${source} by ${device}`;
  if (beyond.kind === 'none') return wrong('route-missing', `no route to ${asks}: ${beyond.text}`, mend);
  if (near.kind === 'none')
    return wrong('route-missing', `no route to the gateway ${gateway} by ${device}: ${near.text}`, mend);
  for (const way of [beyond, near]) {
    if (way.device !== device)
      return wrong(
        'wrong-uplink',
        `the way to ${way.address} leaves by ${way.device}, not by ${device}`,
        turn,
      );
  }
  if (beyond.via === null && destination !== gateway) {
    // Linux takes any destination for a neighbour when only the interface is given and no route fits.
    return wrong('route-missing', `${asks} would be looked for on the link itself: no route fits`, mend);
  }
  if (beyond.via !== null && beyond.via !== gateway) {
    return wrong('wrong-uplink', `the way to ${asks} goes via ${beyond.via}, not via ${gateway}`, turn);
  }
  return { kind: 'ok', uplink: uplink.name, family, missing: found.missing };
}

/**
 * What puts the plan right, as one line for a shell: the rules that are missing, and the route. Where all rules are there
 * and the way still is another one, the table's own default is it and goes first.
 */
function mending(asked: Question, plan: RoutingPlan, missing: readonly string[], turned: boolean): string {
  const { uplink, family } = asked;
  const route = plan.routes.find((each) => each.uplink === uplink.name && each.family === family);
  const remove =
    turned && missing.length === 0 ? [`ip -${family} route del default table ${uplink.table}`] : [];
  return [...missing, ...remove, ...(route === undefined ? [] : [routeCommand(route)])].join(' && ');
}

type Way =
  | { readonly kind: 'way'; readonly address: string; readonly device: string; readonly via: string | null }
  | { readonly kind: 'none'; readonly text: string };

/** The answer to `route get`. */
function wayOf(answer: BatchAnswer | undefined, address: string): Way {
  if (answer === undefined) return { kind: 'none', text: 'no answer' };
  if (answer.kind === 'refused') return { kind: 'none', text: answer.text };
  const route: unknown = Array.isArray(answer.value) ? answer.value[0] : null;
  if (!isRecord(route)) throw new IpError('bad-output', `ip route get ${address} printed no route`);
  const { dev, gateway, via, type } = route;
  if (typeof type === 'string' && type !== 'unicast') return { kind: 'none', text: `${type} route` };
  if (typeof dev !== 'string') throw new IpError('bad-output', `ip route get ${address} printed no device`);
  // RFC 8950: an IPv4 route via an IPv6 next hop stands in `via`.
  const host = isRecord(via) && typeof via['host'] === 'string' ? via['host'] : null;
  return { kind: 'way', address, device: dev, via: typeof gateway === 'string' ? gateway : host };
}

function valueOf(answer: BatchAnswer | undefined, query: string): unknown {
  if (answer?.kind === 'value') return answer.value;
  throw new IpError('exit', `\`ip ${query}\` was refused: ${answer?.text ?? 'no answer'}`);
}
