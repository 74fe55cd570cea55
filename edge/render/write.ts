/** Writes what was rendered into a directory, each file whole or not at all, and lets nginx judge it. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { EdgeInput } from '../conf/load.ts';
import { renderHttp, renderNginx } from './nginx.ts';
import { renderPolicy } from './policy.ts';

export interface WriteOptions {
  readonly out: string;
  /** Directory of the Lua modules; by default the one of this checkout or package. */
  readonly lua?: string;
  readonly workers: number;
  /** Account of the workers; null where nginx is not started by root. */
  readonly user: string | null;
}

/** Directory of the edge's own files (Lua and Redis), in a checkout and in a build alike. */
export function edgeHome(): string {
  const here = dirname(dirname(fileURLToPath(import.meta.url)));
  return here.replace(/\/dist\/edge$/, '/edge');
}

/** Renders all files: nginx.conf, edge-http.conf, edge.json, networks.json and edge.lua (the Redis library). */
export async function writeEdge(input: EdgeInput, options: WriteOptions): Promise<void> {
  const places = { out: options.out, lua: options.lua ?? join(edgeHome(), 'lua') };
  const library = await readFile(join(edgeHome(), 'redis/edge.lua'), 'utf8');
  await mkdir(options.out, { recursive: true });
  // nginx makes its socket 0666: the directory decides who may tell the edge about uplinks.
  await mkdir(input.config.paths.run, { recursive: true, mode: 0o750 });
  const files = {
    'nginx.conf': renderNginx(input.config, places, options),
    'edge-http.conf': renderHttp(input.config, places),
    'edge.json': `${JSON.stringify(renderPolicy(input.config), null, 1)}\n`,
    'networks.json': `${JSON.stringify(input.networks)}\n`,
    'edge.lua': library,
  };
  for (const [name, content] of Object.entries(files)) await replace(join(options.out, name), content);
}

/** `nginx -t` on a rendered nginx.conf: null when it passes, else what nginx said. */
export async function judge(conf: string): Promise<string | null> {
  const result = await execa('nginx', ['-t', '-q', '-c', conf], { reject: false, all: true });
  return result.exitCode === 0 ? null : (result.all ?? result.message ?? 'nginx could not be run');
}

/** Puts a file in place in one step: a reader sees the old one or the new one. */
export async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const beside = `${path}.${process.pid}.new`;
  await writeFile(beside, content, { flush: true });
  await rename(beside, path);
}
