/** `GET /`, the page of GeoDNS, and what it is made of; it asks the API for everything, with the reader's token. */
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { type Asset, readFolder } from '../../src/http/page/assets.ts';
import { addPage } from '../../src/http/page/routes.ts';
import { described } from '../api/described.ts';

/** Parts of the daemon's page that this one is made of too; its modules name them by their place in the tree. */
const shared = [
  'dialog.js',
  'draw.js',
  'element.js',
  'format.js',
  'language.js',
  'remembered.js',
  'repeat.js',
  'tone.js',
];
const own = 'geodns/page/browser';
const others = 'src/http/page/browser';

const words = described({
  summary: 'The page of GeoDNS',
  description: 'For a browser; it asks for a token and shows what the routes below answer.',
  tag: 'program',
  answer: { kind: 'other', mediaType: 'text/html', says: 'The page' },
  problems: ['unknown-route'],
});

export function geodnsPage(app: FastifyInstance): void {
  addPage(app, pageAssets(), words);
}

/** By the path below `/page/`. */
function pageAssets(): ReadonlyMap<string, Asset> {
  const mine = readFolder(fileURLToPath(new URL('browser/', import.meta.url)));
  const daemons = readFolder(fileURLToPath(new URL('../../src/http/page/browser/', import.meta.url)));
  const found = new Map([...mine].map(([name, asset]) => [`${own}/${name}`, asset]));
  for (const name of [...shared, 'page.css', 'icon.svg']) {
    const asset = daemons.get(name);
    if (asset !== undefined) found.set(`${others}/${name}`, asset);
  }
  const index = mine.get('index.html');
  if (index !== undefined) found.set('index.html', index);
  return found;
}
