/** The lab's network as a running thing: starts it, finds a running one again, and removes it at every kind of end. */
import { join } from 'node:path';
import { ipBatch, runIn } from './command.ts';
import { labFolder, labId, namespaceOf, rooms, type FleetRoom, type Room } from './names.ts';
import { claim, isOwnerAlive } from './owner.ts';
import { compiledProgram, startIn } from './process.ts';
import { removeLab } from './removal.ts';
import { linkLines, namespaceLines, roomLines, sysctls, type RoomKind } from './topology.ts';
import { waitUntil } from './wait.ts';

export interface Network {
  readonly id: string;
  /** Sockets, configs, logs and pid files of this lab. */
  readonly folder: string;
  namespace(room: Room): string;
  /** Runs a command in a room and returns what it prints. */
  run(room: Room, argv: readonly string[], input?: string): Promise<string>;
  /** Kills what runs in the lab and removes it; safe to repeat. */
  remove(): void;
}

const living = new Set<string>();
let guarded = false;

/** Builds namespaces, links, addresses and routes, and starts the TCP listener of the internet. About a second. */
export async function startNetwork(idText: string): Promise<Network> {
  const id = labId(idText);
  await raise(id, {
    rooms: rooms.map((room) => ({
      room,
      kind: room === 'node' ? 'node' : 'router',
      lines: roomLines(room),
    })),
    links: linkLines(id),
  });
  return networkOf(id);
}

/** The namespaces of a lab, and the text for `ip -batch` that fills them. */
export interface Layout {
  readonly rooms: readonly {
    readonly room: Room | FleetRoom;
    readonly kind: RoomKind;
    readonly lines: readonly string[];
  }[];
  readonly links: readonly string[];
}

/** Builds a lab's namespaces and starts the internet's listener; removed at this process's end, or when it fails. */
export async function raise(id: string, layout: Layout): Promise<void> {
  guardExit();
  claim(id);
  living.add(id);
  const inRoom = (room: Room | FleetRoom) => namespaceOf(id, room);
  try {
    const names = layout.rooms.map(({ room }) => room);
    await ipBatch(null, namespaceLines(id, names));
    await Promise.all(
      layout.rooms.map(({ room, kind }) => runIn(inRoom(room), ['sysctl', '-q', '-w', ...sysctls(kind)])),
    );
    await ipBatch(null, layout.links);
    await Promise.all(layout.rooms.map(({ room, lines }) => ipBatch(inRoom(room), lines)));
    await startListener(networkOf(id));
  } catch (error) {
    networkOf(id).remove();
    throw error;
  }
}

/** A handle on a lab that another process runs; throws when there is none of that id. */
export function attachNetwork(idText: string): Network {
  const id = labId(idText);
  if (!isOwnerAlive(id)) throw new Error(`no lab \`${id}\` is running: start it with \`npm run lab\``);
  return networkOf(id);
}

/** The lab with one node; of others what they share: carriers, internet, folder. */
export function networkOf(id: string): Network {
  const folder = labFolder(id);
  return {
    id,
    folder,
    namespace: (room) => namespaceOf(id, room),
    run: (room, argv, input) => runIn(namespaceOf(id, room), argv, input === undefined ? {} : { input }),
    remove() {
      removeLab(id);
      living.delete(id);
    },
  };
}

async function startListener(network: Network): Promise<void> {
  await startIn({
    namespace: network.namespace('net'),
    argv: [process.execPath, compiledProgram('lab/network/listener')],
    log: join(network.folder, 'listener.log'),
    pidFile: join(network.folder, 'listener.pid'),
  });
  await waitUntil('the internet to listen on port 443', async () =>
    (await network.run('net', ['ss', '-Hltn', 'sport', '=', ':443'])).includes('443'),
  );
}

/** However this process ends (but by SIGKILL, which is what `clean` is for), its labs are removed. */
function guardExit(): void {
  if (guarded) return;
  guarded = true;
  process.on('exit', () => {
    for (const id of living) removeLab(id);
  });
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.on(signal, () => process.exit(code));
  }
}
