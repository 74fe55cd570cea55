/** Things to try in the lab: each a curl command, what should come out, and a check that it does. */
import { execa } from 'execa';
import type { Lab } from './run.ts';
import { allUp, users, withUplink } from './site.ts';
import type { Ups } from './site.ts';

export interface Step {
  readonly title: string;
  /** State that is told before. */
  readonly ups: Ups;
  readonly curl: readonly string[];
  /** What curl's output contains when all is well. */
  readonly expect: string;
}

/** The commands for a running lab, in an order that works. */
export function tour(lab: Lab): readonly Step[] {
  return [...steering(lab), ...limits(lab), ...watching(lab)];
}

const from = (client: string): readonly string[] => ['-H', `X-Forwarded-For: ${client}`];

/** curl that finds the lab's names on loopback and shows headers. */
function curl(lab: Lab, ...args: readonly string[]): readonly string[] {
  const at = (name: string, port: number): readonly string[] => ['--resolve', `${name}:${port}:127.0.0.1`];
  return [
    '-sS',
    '-i',
    ...at('www.example.test', lab.ports.hk1),
    ...at('hk2.edge.test', lab.ports.hk2),
    ...args,
  ];
}

function steering(lab: Lab): readonly Step[] {
  const www = `http://www.example.test:${lab.ports.hk1}`;
  const elsewhere = `http://hk2.edge.test:${lab.ports.hk2}/video?id=1`;
  const broken = withUplink(allUp, 'hk1', 'cmi', false);
  const video = curl(lab, ...from(users.mobile), `${www}/video?id=1`);
  const step = (title: string, ups: Ups, command: readonly string[], expect: string): Step => ({
    title,
    ups,
    curl: command,
    expect,
  });
  const arrives = 'origin: GET /video?id=1';
  return [
    step('a Mobile user is served here while CMI is up', allUp, video, arrives),
    step('CMI is down on hk1: the Mobile user is sent to hk2', broken, video, `Location: ${elsewhere}`),
    step('and is served there, under a name that never redirects', broken, [...video, '-L'], arrives),
    step(
      'a Telecom user does not care about CMI',
      broken,
      curl(lab, ...from(users.telecom), `${www}/`),
      '200 OK',
    ),
    step('nor is a user of a cloud steered', broken, curl(lab, ...from(users.cloud), `${www}/`), '200 OK'),
    step(
      'a POST is never redirected',
      broken,
      curl(lab, ...from(users.mobile), '-d', 'x=1', `${www}/`),
      'origin: POST /',
    ),
  ];
}

function limits(lab: Lab): readonly Step[] {
  const www = `http://www.example.test:${lab.ports.hk1}`;
  const both = [`${www}/api/[1-6]`, `http://hk2.edge.test:${lab.ports.hk2}/api/[1-6]`];
  return [
    {
      title: 'the sixth request at once is too many for one client',
      ups: allUp,
      curl: curl(lab, ...from(users.telecom), `${www}/login/[1-6]`),
      expect: 'Retry-After: 1',
    },
    {
      title: 'all nodes together give an API key 10 requests at once',
      ups: allUp,
      curl: curl(lab, '-H', 'X-Api-Key: k1', ...both),
      expect: '429 Too Many Requests',
    },
  ];
}

function watching(lab: Lab): readonly Step[] {
  const admin = (path: string): readonly string[] => [
    '-sS',
    '--unix-socket',
    lab.socket('hk1'),
    `http://edge${path}`,
  ];
  return [
    { title: 'metrics', ups: allUp, curl: admin('/metrics'), expect: 'edge_steer_total' },
    { title: 'what the edge knows', ups: allUp, curl: admin('/status'), expect: '"fresh":true' },
  ];
}

/** A step as a line for a shell. */
export function shell(step: Step): string {
  return ['curl', ...step.curl].map((part) => (/^[\w@%+=:,./-]+$/.test(part) ? part : `'${part}'`)).join(' ');
}

/** Does a step; null when it came out as it should, else what came out. */
export async function take(lab: Lab, step: Step): Promise<string | null> {
  await lab.tell(step.ups);
  const result = await execa('curl', step.curl, { reject: false, all: true });
  const output = result.all ?? result.message ?? '';
  return output.includes(step.expect) ? null : output;
}
