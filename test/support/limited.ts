/** Sites for tests of limits: a location for each list of limits, serving a small file. */
import { mkdirSync, writeFileSync } from 'node:fs';
import type { SiteChange } from './edge.ts';

interface Location {
  readonly path: string;
  readonly limits: readonly string[];
}

/** A change for startEdge: the limits, and where they hold. */
export function limited(
  limits: Record<string, object>,
  locations: readonly Location[],
  more: SiteChange = {},
) {
  return ({ dir, port }: { readonly dir: string; readonly port: number }): SiteChange => {
    for (const { path } of locations) {
      mkdirSync(`${dir}/www${path}`, { recursive: true });
      writeFileSync(`${dir}/www${path}index.html`, 'served here\n');
    }
    const served = locations.map((one) => ({ path: one.path, limits: one.limits, root: `${dir}/www` }));
    return {
      limits,
      servers: { www: { names: ['www.example.test'], listen: [`127.0.0.1:${port}`], locations: served } },
      ...more,
    };
  };
}

/** A limit for each client. */
export function perClient(rate: string, burst: number, more: object = {}): object {
  return { rate, burst, key: ['client'], ...more };
}

/** The file that every site serves. */
export const page = '/index.html';
