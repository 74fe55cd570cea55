/** Prints a routing plan as `ip` commands or as systemd-networkd drop-ins. Pure; identical plans print identical bytes. */
import { unreachable } from '../types/unreachable.ts';
import type { ProbeRoute, RoutingPlan, Rule, RuleMatch, Sysctl } from './routing.ts';

/** One command that adds the rule; fails where it is there already. */
export function addRuleCommand(rule: Rule): string {
  return `ip -${rule.family} rule add pref ${rule.priority} ${matchText(rule.match)} lookup ${rule.table}`;
}

/**
 * One command that adds the route or puts it right. IPv6 needs `onlink`: Linux looks the gateway up through the rules, our
 * own `oif` rule leads it into this very table, and a default that is there already makes it refuse (EHOSTUNREACH).
 */
export function routeCommand({ family, gateway, interface: device, table, metric }: ProbeRoute): string {
  const onLink = family === 6 ? ' onlink' : '';
  return `ip -${family} route replace default via ${gateway} dev ${device} table ${table} metric ${metric}${onLink}`;
}

/** One command that sets it until the next boot. */
export function sysctlCommand(sysctl: Sysctl): string {
  return `sysctl -qw ${sysctl.key}=${quoted(sysctl.value)}`;
}

/** A shell script that can be run again at any time: whatever stands at our priorities goes, then the plan's rules come. */
export function ipScript(plan: RoutingPlan, options: { readonly withRoutes: boolean }): string {
  const lines = [
    '#!/bin/sh',
    '# Policy routing for Causeway, printed by `causeway routing`. Safe to run again. Lasts until the next boot:',
    '# run it at boot before BIRD starts, or use `causeway routing --format networkd`.',
    '# What cannot be set (an interface that is not there yet) is said, and the rest is set all the same.',
    'failed=0',
    '',
    ...plan.sysctls.flatMap((sysctl) => [`# ${sysctl.why}`, orFail(sysctlCommand(sysctl))]),
  ];
  let heading = '';
  const cleared = new Set<string>();
  for (const rule of plan.rules) {
    if (headingOf(rule) !== heading) lines.push('', headingOf(rule));
    lines.push(...clearing(rule, cleared));
    heading = headingOf(rule);
    lines.push(
      `while ip -${rule.family} rule del pref ${rule.priority} 2>/dev/null; do :; done`,
      orFail(addRuleCommand(rule)),
    );
  }
  if (options.withRoutes) {
    lines.push('', "# Default routes for use before BIRD runs; BIRD's own have a better metric.");
    lines.push(...plan.routes.map((route) => orFail(routeCommand(route))));
  }
  return `${lines.join('\n')}\n\nexit "$failed"\n`;
}

/** Rules into an egress table are all ours, so those of prefixes that are gone from the config go first, whatever theirs. */
function clearing({ match, family, table }: Rule, cleared: Set<string>): readonly string[] {
  const key = `${family} ${table}`;
  if (match.kind !== 'from-prefix' || cleared.has(key)) return [];
  cleared.add(key);
  return [`while ip -${family} rule del table ${table} 2>/dev/null; do :; done`];
}

function headingOf({ match, uplink, table }: Rule): string {
  return match.kind === 'from-prefix'
    ? `# service ${match.service}: its answers leave by the tables of what is learnt, one after the other`
    : `# uplink ${uplink}, table ${table}`;
}

function orFail(command: string): string {
  return `${command} || failed=1`;
}

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Drop-ins for networkd, one for each uplink, and a sysctl.d file; the operator copies them to the paths given. */
export function networkdFiles(
  plan: RoutingPlan,
  interfaces: ReadonlyMap<string, string>,
  options: { readonly withRoutes: boolean },
): readonly TextFile[] {
  const files = [...interfaces].map(
    ([uplink, name]): TextFile => ({
      path: `/etc/systemd/network/10-${name}.network.d/50-causeway.conf`,
      text: [
        `# Uplink ${uplink}, printed by \`causeway routing --format networkd\`. The folder must be named after the .network`,
        `# file that configures ${name} (here 10-${name}.network), with .d added. Then: networkctl reload`,
        ...plan.rules.filter((rule) => rule.uplink === uplink).flatMap(ruleSection),
        ...(options.withRoutes
          ? plan.routes.filter((route) => route.uplink === uplink).flatMap(routeSection)
          : []),
        '',
      ].join('\n'),
    }),
  );
  return [...files, { path: '/etc/sysctl.d/60-causeway.conf', text: sysctlFile(plan.sysctls) }];
}

function ruleSection(rule: Rule): readonly string[] {
  return [
    '',
    '[RoutingPolicyRule]',
    `Family=ipv${rule.family}`,
    `Priority=${rule.priority}`,
    networkdMatch(rule.match),
    `Table=${rule.table}`,
  ];
}

function networkdMatch(match: RuleMatch): string {
  switch (match.kind) {
    case 'from':
      return `From=${match.source}`;
    case 'from-prefix':
      return `From=${match.prefix}`;
    case 'oif':
      return `OutgoingInterface=${match.interface}`;
    default:
      return unreachable(match);
  }
}

function routeSection(route: ProbeRoute): readonly string[] {
  const onLink = route.family === 6 ? ['GatewayOnLink=yes'] : [];
  const lines = [`Gateway=${route.gateway}`, ...onLink, `Table=${route.table}`, `Metric=${route.metric}`];
  return ['', '[Route]', ...lines];
}

function sysctlFile(sysctls: readonly Sysctl[]): string {
  return sysctls.map((sysctl) => `# ${sysctl.why}\n${sysctl.key} = ${sysctl.value}\n`).join('');
}

function matchText(match: RuleMatch): string {
  switch (match.kind) {
    case 'from':
      return `from ${match.source}`;
    case 'from-prefix':
      return `from ${match.prefix}`;
    case 'oif':
      return `oif ${match.interface}`;
    default:
      return unreachable(match);
  }
}

function quoted(value: string): string {
  return value.includes(' ') ? `"${value}"` : value;
}
