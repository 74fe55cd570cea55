/** A desk of rules over a service without PowerDNS, its files in a folder of the test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TrafficOf } from '../../geodns/service/users.ts';
import { Users } from '../../geodns/service/users.ts';
import { RevisionStore } from '../../geodns/service/revisions.ts';
import { RulesDesk } from '../../geodns/service/rules-desk.ts';
import type { GeoDnsService } from '../../geodns/service/service.ts';
import { labNetworksText, labRulesText } from './geodns.ts';

export interface DeskWorld {
  readonly desk: RulesDesk;
  readonly users: Users;
  readonly paths: { readonly rules: string; readonly networks: string };
}

export interface DeskOptions {
  /** Puts the lab's files there first; a second desk over the same folder finds what the first one left. */
  readonly write?: boolean;
  readonly traffic?: TrafficOf;
  readonly rulesName?: string;
  readonly logError?: (error: unknown) => void;
}

export async function deskOver(
  service: GeoDnsService,
  folder: string,
  { write = true, traffic = () => null, rulesName = 'rules.yaml', logError = fail }: DeskOptions = {},
): Promise<DeskWorld> {
  const paths = { rules: join(folder, rulesName), networks: join(folder, 'networks.yaml') };
  if (write) {
    writeFileSync(paths.rules, labRulesText);
    writeFileSync(paths.networks, labNetworksText);
  }
  const users = new Users(service, traffic);
  const revisions = await RevisionStore.open(join(folder, 'revisions'));
  return { desk: new RulesDesk(service, revisions, paths, users, logError), users, paths };
}

function fail(error: unknown): never {
  throw error;
}
