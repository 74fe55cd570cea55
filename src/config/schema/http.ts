/** `http` and `paths`: where the daemon is reached and keeps its state. */
import { absolutePath } from '../fields.ts';
import { parseIp } from '../addresses.ts';
import { bad, leaf, ok, type Parsed } from '../leaf.ts';
import { section } from '../section.ts';

/** Where the status endpoint listens; an IP address, and 0 for any free port. */
export interface Listen {
  readonly host: string;
  readonly port: number;
}

export const httpSchema = section('http', 'The HTTP endpoint.', {
  listen: leaf(
    'Address and port of the status endpoint; port 0 lets the system choose one.',
    { type: 'string' },
    parseListen,
  ).prefault('127.0.0.1:9180'),
  token_file: absolutePath(
    'File with the token that commands over this port need, read at each use; without it only the control socket commands.',
    'file',
  ).optional(),
}).prefault({});

export const pathsSchema = section('paths', 'Where the daemon keeps its state and is controlled.', {
  state: absolutePath('Folder of its state.', 'folder').prefault('/var/lib/causeway'),
  control: absolutePath('Its control socket.', 'socket').prefault('/run/causeway/control.sock'),
  edge: section('paths.edge', 'How the edge on this node is told; used where edge is configured.', {
    file: absolutePath('What the edge reads at its start.', 'file').prefault('/run/causeway/edge.json'),
    socket: absolutePath("The edge's admin socket.", 'socket').prefault('/run/causeway-edge/admin.sock'),
  }).prefault({}),
}).prefault({});

function parseListen(value: unknown): Parsed<Listen> {
  const match = typeof value === 'string' ? /^(?:\[([^[\]]+)\]|([^:]+)):(\d{1,5})$/.exec(value) : null;
  const host = match?.[1] ?? match?.[2] ?? '';
  const ip = parseIp(host);
  const port = Number(match?.[3]);
  const fits = ip !== null && port <= 65535 && (match?.[1] !== undefined) === host.includes(':');
  return fits ? ok({ host, port }) : bad('an IP address and a port, such as 127.0.0.1:9180 or "[::1]:9180"');
}
