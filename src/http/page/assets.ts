/** The page's files and the chart library's, read once at the start: they are part of the program and change with it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

export interface Asset {
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
  /** Quoted, as in the header (RFC 9110 §8.8.3). */
  readonly etag: string;
}

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Where `npm run build` puts them: beside this module. */
const builtFolder = fileURLToPath(new URL('browser/', import.meta.url));

/** By file name. What is not there is left out: a daemon without a page still announces. */
export function readAssets(folder: string = builtFolder): ReadonlyMap<string, Asset> {
  const found = new Map(readFolder(folder));
  const charts = chartFolder();
  if (charts !== null) {
    for (const [name, asset] of [
      ['uplot.js', assetAt(join(charts, 'uPlot.iife.min.js'))],
      ['uplot.css', assetAt(join(charts, 'uPlot.min.css'))],
    ] as const)
      if (asset !== null) found.set(name, asset);
  }
  return found;
}

/** The files of a folder that a browser reads, by name. */
export function readFolder(folder: string): ReadonlyMap<string, Asset> {
  const found = new Map<string, Asset>();
  for (const name of namesIn(folder)) {
    const asset = assetAt(join(folder, name));
    if (asset !== null) found.set(name, asset);
  }
  return found;
}

/** null: no file that a browser reads, or none that can be read: it is answered as not found. */
function assetAt(file: string): Asset | null {
  const contentType = contentTypes[file.split('.').at(-1) ?? ''];
  if (contentType === undefined) return null;
  try {
    return assetOf(contentType, readFileSync(file));
  } catch {
    return null;
  }
}

function assetOf(contentType: string, bytes: Buffer): Asset {
  const digest = createHash('sha256').update(bytes).digest('base64url');
  return { contentType, bytes, gzipped: gzipSync(bytes), etag: `"${digest.slice(0, 22)}"` };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** null: the package is not installed; the page then shows no charts. */
function chartFolder(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('uplot'));
  } catch {
    return null;
  }
}
