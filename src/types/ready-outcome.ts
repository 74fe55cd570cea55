/** What one readiness check found: never an opinion on the service. */

export type ReadyOutcome =
  /** It answered as it should. */
  | { readonly kind: 'pass'; readonly text: string }
  /** It did not, or not in time. */
  | { readonly kind: 'fail'; readonly text: string }
  /** Our own fault, which counts against nobody: no permission, no descriptors, no `systemctl`. */
  | { readonly kind: 'not-run'; readonly text: string };
