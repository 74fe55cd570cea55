/** `bird.command` and `bird.adopt` in the config. */
import { describe, expect, test } from 'vitest';
import { explainConfig } from '../../src/config/explain.ts';
import { readConfig } from '../../src/config/read.ts';
import { breakSample, problemsOf, sample } from './config-sample.ts';

const observed = sample.replace('mode: live', 'mode: observe');
const withBird = (bird: string): string => observed.replace('services:', `bird: ${bird}\nservices:`);

function read(text: string) {
  const result = readConfig('causeway.yaml', text);
  if (result.kind !== 'ok') throw new Error(result.problems.map((one) => one.text).join('\n'));
  return result.config;
}

test('a command is in force in place of the socket, and what explain prints loads again', () => {
  const config = read(withBird('{ command: [docker, exec, bird, birdc] }'));
  expect(config.bird.command).toEqual(['docker', 'exec', 'bird', 'birdc']);
  expect(read(explainConfig(config))).toEqual(config);
});

test('without a command it is the socket, by default that of Debian', () => {
  const config = read(observed);
  expect(config.bird).toMatchObject({ command: null, socket: '/run/bird/bird.ctl' });
  expect(read(explainConfig(config))).toEqual(config);
});

test('adopted sessions are read by uplink and family', () => {
  const config = read(withBird('{ adopt: { cmi4: my_cmi_v4, cmi6: "cmi-v6", pccw4: up.pccw } }'));
  expect([...config.bird.adopt]).toEqual([
    ['cmi4', 'my_cmi_v4'],
    ['cmi6', 'cmi-v6'],
    ['pccw4', 'up.pccw'],
  ]);
  expect(read(explainConfig(config))).toEqual(config);
});

describe('what is refused, with its place', () => {
  test.each([
    [
      'both ways at once',
      '{ socket: /run/b.ctl, ▶command: [birdc] }',
      'bird.command: found a command, allowed: only one way',
    ],
    ['no words', '{ command: ▶[] }', 'bird.command: found an empty list'],
    ['a text with blanks', '{ command: ▶docker exec bird birdc }', 'a list of words'],
    ['a shell behind it', '{ command: ▶[ssh, node1, birdc] }', 'ssh gives them to a shell'],
    ['no birdc in it', '{ command: ▶[docker, exec, bird, vtysh] }', 'ends with what birdc needs'],
    [
      'an uplink that is not there',
      '{ adopt: { ▶hkbn4: x } }',
      'allowed: an uplink with the family of its session: cmi4, cmi6, pccw4, pccw6',
    ],
    ['an uplink without a family', '{ adopt: { ▶cmi: x } }', 'cmi4, cmi6'],
    ['a name that BIRD cannot have', '{ adopt: { cmi4: ▶"a b" } }', "name of the operator's BGP protocol"],
    ['one protocol for two sessions', '{ adopt: { cmi4: x, cmi6: ▶x } }', 'bird.adopt.cmi4 is the same'],
  ])('%s', (_, bird, says) => {
    const broken = breakSample('services:', `bird: ${bird}\nservices:`);
    const problems = problemsOf(broken.text.replace('mode: live', 'mode: observe'));
    expect(problems).toEqual([expect.stringContaining(says)]);
    expect(problems[0]).toContain(`causeway.yaml:${broken.line}:${broken.column}: `);
  });

  test('adopted sessions in mode live', () => {
    const text = withBird('{ adopt: { cmi4: x } }').replace('mode: observe', 'mode: live');
    expect(problemsOf(text)).toEqual([expect.stringContaining('`causeway migrate` comes first')]);
  });
});
