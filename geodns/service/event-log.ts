/** What happened, for people and for followers of the event stream. The durable truth is the journal. */
export interface LoggedEvent {
  readonly id: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly kind: 'report' | 'override' | 'release' | 'steer' | 'freeze' | 'geoip' | 'revision';
  readonly text: string;
}

const kept = 1000;

export class EventLog {
  private events: readonly LoggedEvent[] = [];
  /** Begins at the time of the start, so that ids grow over restarts and a follower can come back by the last one. */
  private next: number;
  private readonly followers = new Set<(event: LoggedEvent) => void>();

  constructor(startMillis = 1) {
    this.next = Math.max(1, Math.floor(startMillis));
  }

  add(kind: LoggedEvent['kind'], text: string, nowMillis: number): void {
    const event = { id: this.next, at: new Date(nowMillis).toISOString(), kind, text };
    this.next += 1;
    this.events = [...this.events.slice(1 - kept), event];
    for (const follower of this.followers) follower(event);
  }

  /** Those after `id`, as far as they are kept. */
  since(id: number): readonly LoggedEvent[] {
    return this.events.filter((event) => event.id > id);
  }

  /** Whether some after `id` are not kept any more; of a time before the start nothing is. */
  hasForgotten(id: number): boolean {
    const first = this.events[0]?.id ?? this.next;
    return id + 1 < first;
  }

  /** Returns the function that ends it. */
  follow(follower: (event: LoggedEvent) => void): () => void {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  }
}
