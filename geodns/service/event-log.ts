/** What happened, for people and for followers of the event stream. The durable truth is the journal. */
export interface LoggedEvent {
  readonly id: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly kind: 'report' | 'override' | 'release' | 'revision';
  readonly text: string;
}

const kept = 1000;

export class EventLog {
  private events: readonly LoggedEvent[] = [];
  private next = 1;
  private readonly followers = new Set<(event: LoggedEvent) => void>();

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

  /** Returns the function that ends it. */
  follow(follower: (event: LoggedEvent) => void): () => void {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  }
}
