/** The whole config as it stands in the file: type, default, bounds and a sentence for each key. */
import type { z } from 'zod';
import { choice } from '../fields.ts';
import { section } from '../section.ts';
import { birdSchema } from './bird.ts';
import { fleetSchema } from './fleet.ts';
import { edgeSchema } from './edge.ts';
import { geodnsSchema } from './geodns.ts';
import { guardsSchema } from './guards.ts';
import { httpSchema, pathsSchema } from './http.ts';
import { maintenanceSchema } from './maintenance.ts';
import { nodeSchema } from './node.ts';
import { onStopSchema } from './on-stop.ts';
import { policySchema } from './policy.ts';
import { recordSchema, shadowSchema } from './record.ts';
import { servicesSchema } from './services.ts';
import { uplinksSchema } from './uplinks.ts';
import { webhooksSchema } from './webhooks.ts';

export const rootSchema = section('', 'The config of a Causeway node.', {
  mode: choice('observe: measures, decides and shows; live: acts.', ['observe', 'live']).prefault('observe'),
  node: nodeSchema,
  bird: birdSchema,
  services: servicesSchema,
  uplinks: uplinksSchema,
  policy: policySchema,
  guards: guardsSchema,
  on_stop: onStopSchema,
  on_boot: choice(
    'hold: services with a readiness check come up withdrawn after a reboot, until they are ready.',
    ['as-left', 'hold'],
  ).prefault('as-left'),
  maintenance: maintenanceSchema,
  fleet: fleetSchema,
  edge: edgeSchema,
  geodns: geodnsSchema,
  webhooks: webhooksSchema,
  http: httpSchema,
  paths: pathsSchema,
  record: recordSchema,
  shadow: shadowSchema,
});

/** The file after its values were read one by one, before names are resolved. */
export type ConfigFile = z.output<typeof rootSchema>;
