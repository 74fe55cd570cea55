/** How far each site is behind: by revisions, and since when it could have had the one that it lacks. */
import type { SiteState } from '../powerdns/site-board.ts';
import type { GeoDnsService } from '../service/service.ts';

const kept = 1000;

export interface Lag {
  /** Of serials. */
  readonly behind: number;
  /** Since the first revision that the site does not have; 0: it has all; null: from before our start. */
  readonly behindSeconds: number | null;
}

export class SiteLag {
  private made: readonly { readonly revision: number; readonly atMillis: number }[] = [];
  private readonly service: GeoDnsService;

  constructor(service: GeoDnsService) {
    this.service = service;
    this.note();
    service.events.follow((event) => {
      if (event.kind === 'revision') this.note();
    });
  }

  of({ serial }: SiteState, wanted: number): Lag {
    const has = serial ?? 0;
    if (has >= wanted) return { behind: 0, behindSeconds: 0 };
    const missing = this.made.find(({ revision }) => revision > has);
    const now = this.service.parts.nowMillis();
    return {
      behind: wanted - has,
      behindSeconds: missing === undefined ? null : Math.max(0, (now - missing.atMillis) / 1000),
    };
  }

  private note(): void {
    const revision = this.service.zone()?.revision;
    if (revision === undefined) return;
    this.made = [...this.made.slice(1 - kept), { revision, atMillis: this.service.parts.nowMillis() }];
  }
}
