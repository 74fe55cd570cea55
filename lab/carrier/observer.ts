/** What the carriers really hold: asked at their BIRD and at their kernel, never at the node. */
import { families, type Family } from '../../src/types/units.ts';
import { service } from '../network/addresses.ts';
import { carrierNames, type CarrierName } from '../network/names.ts';
import type { Network } from '../network/network.ts';
import { carrierSession, loneName } from './config.ts';
import { openControl, type Control } from './control.ts';
import { readRoutes, readSession, type RouteHeld, type SessionSeen } from './replies.ts';
import { carrierFiles } from './router.ts';

export interface CarrierView {
  readonly carrier: CarrierName;
  readonly sessions: Readonly<Record<Family, SessionSeen>>;
  /** The route of the service's prefix; null: the carrier does not hold it. */
  readonly routes: Readonly<Record<Family, RouteHeld | null>>;
}

export interface Observer {
  view(carrier: CarrierName): Promise<CarrierView>;
  views(): Promise<Readonly<Record<CarrierName, CarrierView>>>;
  /** Everything that the carrier learnt from the node. */
  learnt(carrier: CarrierName): Promise<readonly RouteHeld[]>;
  /** Whether the carrier's kernel forwards the service's prefix to the node. */
  inKernel(carrier: CarrierName, family: Family): Promise<boolean>;
  close(): void;
}

/** What the carriers hold of one node. */
export function observeCarriers(network: Network, node: string = loneName): Observer {
  const controls = new Map<CarrierName, Control>(
    carrierNames.map((name) => [name, openControl(carrierFiles(network, name).socket)]),
  );
  const control = (name: CarrierName) => {
    const found = controls.get(name);
    if (found === undefined) throw new Error(`no carrier ${name}`);
    return found;
  };
  const observer: Observer = {
    view: (carrier) => viewOf(carrier, control(carrier), node),
    async views() {
      const [cmi, pccw, hkbn] = await Promise.all([
        observer.view('cmi'),
        observer.view('pccw'),
        observer.view('hkbn'),
      ]);
      return { cmi, pccw, hkbn };
    },
    async learnt(carrier) {
      const asked = control(carrier);
      const both = await Promise.all(
        families.map(async (family) => routesOf(asked, `protocol ${carrierSession(family, node)} all`)),
      );
      return both.flat();
    },
    async inKernel(carrier, family) {
      const routes = await network.run(carrier, [
        'ip',
        `-${family}`,
        'route',
        'show',
        service.prefix[family],
      ]);
      return routes.includes(`dev ${node} `);
    },
    close() {
      for (const one of controls.values()) one.close();
    },
  };
  return observer;
}

async function viewOf(carrier: CarrierName, control: Control, node: string): Promise<CarrierView> {
  const [session4, session6, route4, route6] = await Promise.all([
    sessionOf(control, carrierSession(4, node)),
    sessionOf(control, carrierSession(6, node)),
    routeOf(control, 4, node),
    routeOf(control, 6, node),
  ]);
  return { carrier, sessions: { 4: session4, 6: session6 }, routes: { 4: route4, 6: route6 } };
}

async function sessionOf(control: Control, session: string): Promise<SessionSeen> {
  return readSession(await control.ask(`show protocols all ${session}`));
}

async function routeOf(control: Control, family: Family, node: string): Promise<RouteHeld | null> {
  const from = `protocol ${carrierSession(family, node)}`;
  const routes = await routesOf(control, `${service.prefix[family]} ${from} all`);
  return routes.find((route) => route.prefix === service.prefix[family]) ?? null;
}

async function routesOf(control: Control, question: string): Promise<readonly RouteHeld[]> {
  try {
    return readRoutes(await control.ask(`show route ${question}`));
  } catch (error) {
    // 8001: the table does not hold the prefix; that is an answer.
    if (error instanceof Error && error.message.includes(': 8001')) return [];
    throw error;
  }
}
