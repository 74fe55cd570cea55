/** Answers of `show stat`, as HAProxy 2.6 gives them and as no HAProxy should. */
import { describe, expect, test } from 'vitest';
import { judgeStat } from '../../src/host/ready/haproxy-stat.ts';
import type { HaproxyProbe } from '../../src/types/ready-check.ts';

const head = '# pxname,svname,qcur,status,weight,last_chk,\n';
const row = (name: string, status: string, last = '') => `app,${name},0,${status},1,${last},\n`;
const probe = (more: Partial<HaproxyProbe> = {}): HaproxyProbe => ({
  kind: 'haproxy',
  socket: '/run/h.sock',
  backend: 'app',
  server: null,
  atLeast: 1,
  ...more,
});
const judge = (answer: string, more: Partial<HaproxyProbe> = {}) => judgeStat(answer, probe(more));

describe('a whole answer', () => {
  test.each([
    ['UP', 'UP', 'pass'],
    ['UP 1/3', 'UP', 'pass'],
    ['no check', 'UP', 'pass'],
    ['DOWN', 'DOWN', 'fail'],
    ['DOWN 1/2', 'DOWN', 'fail'],
    ['NOLB', 'UP', 'fail'],
    ['DRAIN', 'UP', 'fail'],
    ['MAINT (via app/s1)', 'UP', 'fail'],
  ] as const)('with its one server %s and the backend %s: %s', (server, backend, kind) => {
    const answer = `${head}${row('s1', server)}${row('BACKEND', backend)}\n`;
    expect(judge(answer).kind).toBe(kind);
    expect(judge(answer, { server: 's1' }).kind).toBe(kind);
  });

  test('has its columns by name, wherever they stand, and text in quotes', () => {
    const answer = `# svname,last_chk,status,pxname,new,\ns1,"Layer7: ""x"", bad\nUP",UP,app,,\nBACKEND,,UP,app,,\ns2,,DOWN,app,,\n\n`;
    expect(judge(answer)).toEqual({ kind: 'pass', text: 'UP with at least 1 of 2 servers' });
    expect(judge(answer, { atLeast: 2 })).toEqual({
      kind: 'fail',
      text: '1 of 2 servers are up, expected 2',
    });
  });

  test('without the rows of the frontend of the same name', () => {
    const answer = `${head}app,FRONTEND,0,OPEN,1,,\n${row('s1', 'UP')}${row('BACKEND', 'UP')}\n`;
    expect(judge(answer)).toEqual({ kind: 'pass', text: 'UP with at least 1 of 1 servers' });
  });

  test('of which the text does not count, so that it stays the same', () => {
    expect(judge(`${head}${row('s1', 'DOWN 1/2')}${row('BACKEND', 'DOWN')}\n`, { server: 's1' }).text).toBe(
      'server s1 is DOWN',
    );
  });
});

describe('an answer that is none', () => {
  const whole = `${head}${row('s1', 'UP')}${row('BACKEND', 'UP')}`;

  test('never passes, wherever it was cut', () => {
    for (let length = 0; length < whole.length - 1; length += 1)
      expect({ length, ...judge(whole.slice(0, length)) }).toMatchObject({ length, kind: 'fail' });
    expect(judge(whole).kind).toBe('pass');
    expect(judge(whole.slice(0, -3), { server: 's1' })).toEqual({
      kind: 'fail',
      text: 'an answer that is cut',
    });
  });
  test.each([
    ['', 'an empty answer'],
    ['No such proxy.\n\n', 'there is no backend app'],
    ['HTTP/1.1 400 Bad Request\n', 'not an answer of HAProxy: HTTP/1.1 400 Bad Request'],
    ['# pxname,svname\napp,BACKEND\n', 'an answer that is cut'],
    [`${head}other,BACKEND,0,UP,1,,\n`, 'there is no backend app'],
  ])('%j: %s', (answer, text) => {
    expect(judge(answer)).toEqual({ kind: 'fail', text });
  });
});
