/**
 * A set to every site, one after the other. The secondaries come first and the primary last, so that a PowerDNS that does
 * not survive it costs no removal.
 */
import { parseAddress } from '../address.ts';
import { geoLookup, openMmdb } from '../mmdb/geo.ts';
import type { ServiceParts } from '../service/service.ts';
import type { RefresherParts } from './refresh-state.ts';
import { pointAt, setPaths } from './sets.ts';
import { type Aim, bringTo, RollOutError, type SiteWork } from './site-swap.ts';
import { messageOf } from '../../src/types/message-of.ts';

export type Databases = Pick<ServiceParts, 'lookup' | 'databases'>;

export class RollOut {
  private readonly parts: RefresherParts;
  private readonly signal: AbortSignal;
  /** The site at work; null: none. */
  site: string | null = null;

  constructor(parts: RefresherParts, signal: AbortSignal) {
    this.parts = parts;
    this.signal = signal;
  }

  /** Opens a kept set. `canaries`: users that sites are asked about. Rejects with an MmdbError. */
  async aim(id: string, canaries: readonly string[]): Promise<Aim> {
    const files = setPaths(this.parts.config.folder, id);
    const lookup = geoLookup(await openMmdb(files.asn, 'asn'), await openMmdb(files.country, 'country'));
    const users = canaries.map(parseAddress).filter((address) => address !== undefined);
    return { id, files, lookup, canaries: users };
  }

  /** Ends at the first site that is not right, with a RollOutError; the sites before it have the new set then. */
  async forward(aim: Aim): Promise<void> {
    for (const work of this.works()) {
      this.site = work.site.name;
      await bringTo(work, aim);
    }
    this.site = null;
  }

  /** Every site is tried, also when one of them fails; then it rejects with all that failed. */
  async back(aim: Aim): Promise<void> {
    const failed: string[] = [];
    for (const work of this.works()) {
      this.site = work.site.name;
      await bringTo(work, aim).catch((error: unknown) => {
        failed.push(messageOf(error));
      });
    }
    this.site = null;
    await pointAt(this.parts.own, aim.files);
    if (failed.length > 0)
      throw new RollOutError(
        `not all sites could be brought back, mend them and ask for it again: ${failed.join('; ')}`,
      );
  }

  /** Our own files point to the set, and what is read from them. */
  async own(aim: Aim): Promise<Databases> {
    const { own } = this.parts;
    await pointAt(own, aim.files);
    const [asn, country] = [await openMmdb(own.asn, 'asn'), await openMmdb(own.country, 'country')];
    const databases = [
      { path: asn.path, builtAt: asn.builtAt, asnDatabase: asn },
      { path: country.path, builtAt: country.builtAt },
    ];
    return { lookup: geoLookup(asn, country), databases };
  }

  private works(): readonly SiteWork[] {
    const { config, sites, service } = this.parts;
    return [...sites].reverse().flatMap((site) => {
      const way = config.sites[site.name];
      if (way === undefined) return [];
      const { zone } = service.parts.rules;
      return [{ site, way, zone, patienceMillis: config.patience, signal: this.signal }];
    });
  }
}
