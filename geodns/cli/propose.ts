/** `causeway-geodns propose`. */
import type { Command } from 'commander';
import { openMmdb } from '../mmdb/geo.ts';
import { addressesOfRecords } from '../mmdb/walk.ts';
import { loadNetworks } from '../networks/load.ts';
import { type NamedAsn, propose } from '../networks/propose.ts';
import { FilesError } from '../service/files.ts';
import { formatProblem } from '../yaml-file.ts';
import { jsonFlag, type OutputOptions, print } from './output.ts';
import { readText } from './reading.ts';

export function addPropose(program: Command): void {
  program
    .command('propose')
    .description("propose ASNs for networks.yaml from an MMDB's organisation names; a person decides")
    .requiredOption('--networks <file>', 'networks.yaml')
    .requiredOption('--mmdb <file>', 'ASN database')
    .option(...jsonFlag)
    .action(act);
}

async function act(
  options: OutputOptions & { readonly networks: string; readonly mmdb: string },
): Promise<void> {
  const loaded = loadNetworks(options.networks, await readText(options.networks));
  if (loaded.kind === 'refused') throw new FilesError(loaded.problems.map(formatProblem));
  const found = propose(loaded.value, await namedAsns(options.mmdb));
  print(options, found, [
    ...found.add.map(
      (one) => `add     ${one.network.padEnd(12)} AS${one.asn} ${one.organisation} (${one.pattern})`,
    ),
    ...found.unclear.map(
      (one) => `unclear ${one.networks.join(',').padEnd(12)} AS${one.asn} ${one.organisation}`,
    ),
    ...found.check.map((one) => `check   ${one.network.padEnd(12)} AS${one.asn} ${one.organisation}`),
    ...found.absent.map((one) => `absent  ${one.network.padEnd(12)} AS${one.asn}`),
  ]);
}

async function namedAsns(path: string): Promise<readonly NamedAsn[]> {
  const { file, reader } = await openMmdb(path, 'asn');
  const named = new Map<number, string>();
  for (const address of addressesOfRecords(file, reader)) {
    const record: unknown = reader.get(address);
    if (typeof record !== 'object' || record === null) continue;
    const asn: unknown = Reflect.get(record, 'autonomous_system_number');
    const organisation: unknown = Reflect.get(record, 'autonomous_system_organization');
    if (typeof asn === 'number' && typeof organisation === 'string') named.set(asn, organisation);
  }
  return [...named].map(([asn, organisation]) => ({ asn, organisation }));
}
