/** Whatever a person writes in edge.yaml, nginx gets what was meant or nothing: no value can end a directive or start one. */
import { fc, test } from '../support/property.ts';
import { afterAll, expect } from 'vitest';
import { edgeFile } from '../../edge/conf/schema.ts';
import { renderHttp } from '../../edge/render/nginx.ts';
import { renderPolicy } from '../../edge/render/policy.ts';
import { word } from '../../edge/render/quote.ts';

// Text that people might write, or an attacker of the config's source: much that means something to nginx or Lua.
const sharp = fc.constantFrom(
  ';',
  '{',
  '}',
  '$',
  '"',
  "'",
  '\\',
  '\n',
  '\r',
  ' ',
  '#',
  '`',
  ']]',
  '--',
  '\0',
  '/',
  '.',
  '..',
  ':',
  '*',
  '~',
  '%',
  'é',
  'return 200',
  '/etc',
);
const text = fc.oneof(
  fc
    .array(fc.oneof(sharp, fc.stringMatching(/^[a-z0-9.-]{1,5}$/)), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('www.example.com', '/ok/', '127.0.0.1:80', '/etc/x.pem', 'app', 'x-api-key'),
);
const mostly = (usual: string): fc.Arbitrary<string> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: text });

const config = fc
  .tuple(
    mostly('hk1'),
    mostly('hk1.edge.test'),
    mostly('www.test'),
    mostly('127.0.0.1:80'),
    mostly('/p/'),
    mostly('/srv'),
    mostly('app'),
    mostly('192.0.2.1'),
    mostly('client'),
    mostly('/run/e'),
    mostly('10.0.0.0/8'),
  )
  .map(([node, host, name, listen, path, root, pool, address, key, run, proxy]) => ({
    node,
    host,
    networks: root,
    geo: { asn: root },
    paths: { run, state: root },
    trusted: { proxies: [proxy], header: 'X-Forwarded-For' },
    redis: {
      address: { host: address, port: 6379 },
      user: pool,
      password_file: root,
      tls: { name, ca: root },
    },
    limits: { [pool]: { rate: '1/s', burst: 1, key: [key, `header:${pool}`] } },
    uplinks: { [pool]: { source: [address] } },
    origins: { [pool]: { servers: [{ address, port: 80 }], tls: { name, ca: root } } },
    servers: {
      [pool]: {
        names: [name],
        listen: [listen],
        tls: { certificate: root, key: root },
        locations: [
          { path, origin: pool, limits: [pool] },
          { path: `${path}x`, root },
        ],
      },
    },
  }));

/** nginx's own view of a file: directives and the depth of blocks, with quotes, comments and Lua blocks read as nginx does. */
function shape(nginx: string): readonly string[] {
  return nginx
    .replace(/"[^"\n]*"/g, 'Q')
    .replace(/#[^\n]*/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/[\s;]/)[0] + (line.endsWith('{') ? '{' : line.endsWith('}') ? '}' : ';'));
}

const places = { out: '/etc/edge', lua: '/usr/share/edge/lua' };
let accepted = 0;
let expected: readonly string[] | undefined;

test.prop([config], { numRuns: 3000 })(
  'any text gives a config of the very same shape, or is refused',
  (input) => {
    const parsed = edgeFile.safeParse(input);
    if (!parsed.success) return;
    accepted += 1;
    renderPolicy(parsed.data);
    const rendered = shape(renderHttp(parsed.data, places));
    expected ??= rendered;
    expect(rendered).toEqual(expected);
  },
);
afterAll(() => expect(accepted).toBeGreaterThan(300));

test.prop([fc.string({ unit: 'binary', minLength: 1 })], { numRuns: 2000 })(
  'the last gate lets no separator through',
  (value) => {
    const safe = /^[A-Za-z0-9._/:[\]@+~,=-]+$/.test(value);
    if (safe) expect(word(value)).toBe(value);
    else expect(() => word(value)).toThrow('not a plain word');
  },
);
