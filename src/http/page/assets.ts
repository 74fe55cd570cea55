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
  const found = new Map<string, Asset>();
  const add = (name: string, file: string): void => {
    const contentType = contentTypes[name.split('.').at(-1) ?? ''];
    if (contentType === undefined) return;
    try {
      found.set(name, assetOf(contentType, readFileSync(file)));
    } catch {
      // It is answered as not found.
    }
  };
  for (const name of namesIn(folder)) add(name, join(folder, name));
  const charts = chartFolder();
  if (charts !== null) {
    add('uplot.js', join(charts, 'uPlot.iife.min.js'));
    add('uplot.css', join(charts, 'uPlot.min.css'));
  }
  return found;
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
