/** What the fleet says of a service in a family when this node would take its last announcement away. */
export interface FleetWord {
  /** `silent`: the fleet could not be asked, which is no consent. */
  readonly consent: 'given' | 'refused' | 'silent';
  /** Other nodes that announce it, where that was positively read; null: not known. */
  readonly announcingNodes: number | null;
  /** One sentence for people. */
  readonly text: string;
  /** Other nodes see well what has failed on all uplinks of the service here: the fault is this node's own. */
  readonly ownFault?: boolean;
}
