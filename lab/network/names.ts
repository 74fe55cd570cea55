/** Names that carry the lab's id, so that several labs can run side by side and each can be found again. */

export const carrierNames = ['cmi', 'pccw', 'hkbn'] as const;
export type CarrierName = (typeof carrierNames)[number];

/** A namespace of the lab: the node, a carrier's router, or the internet behind all carriers. */
export type Room = 'node' | CarrierName | 'net';
export const rooms: readonly Room[] = ['node', ...carrierNames, 'net'];

/** Nodes of the five-node lab, each a namespace. */
export const fleetNodeNames = ['hk1', 'hk2', 'hk3', 'tk1', 'sg1'] as const;
export type FleetNodeName = (typeof fleetNodeNames)[number];

/** Where its Redis and the Sentinels run. */
export const databaseRooms = ['db1', 'db2', 'db3'] as const;
export type DatabaseRoom = (typeof databaseRooms)[number];

/** A namespace of the five-node lab; `mgmt` is the router between nodes and databases. */
export type FleetRoom = FleetNodeName | CarrierName | 'net' | 'mgmt' | DatabaseRoom;
export const fleetRooms: readonly FleetRoom[] = [
  ...fleetNodeNames,
  ...carrierNames,
  'net',
  'mgmt',
  ...databaseRooms,
];
const allRooms: readonly string[] = [...rooms, ...fleetRooms];

/** Below this folder each lab has one of its own: sockets, configs, logs, process ids, the owner. */
export const labsFolder = '/run/causeway-lab';

const idPattern = /^[a-z0-9]{1,10}$/;

/** Checks a lab's id; throws a RangeError that says what is allowed. */
export function labId(text: string): string {
  if (!idPattern.test(text)) {
    throw new RangeError(`\`${text}\` is not a lab id: write 1 to 10 lower case letters and digits`);
  }
  return text;
}

/** An id that no other lab of this machine has: the process id in base 36 and a count. */
export function freshLabId(): string {
  count += 1;
  return `t${process.pid.toString(36)}x${count.toString(36)}`;
}
let count = 0;

/** `cw<id>-<room>`, as `ip netns` shows it. */
export function namespaceOf(id: string, room: Room | FleetRoom): string {
  return `cw${id}-${room}`;
}

/** The lab that a namespace belongs to; null: not one of ours. */
export function labOfNamespace(namespace: string): string | null {
  const match = /^cw([a-z0-9]{1,10})-([a-z0-9]+)$/.exec(namespace);
  return match !== null && allRooms.includes(match[2] ?? '') ? (match[1] ?? null) : null;
}

export function labFolder(id: string): string {
  return `${labsFolder}/${id}`;
}

export function isCarrierName(text: string): text is CarrierName {
  return carrierNames.some((name) => name === text);
}
