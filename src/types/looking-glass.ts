/** Where it can be asked what is seen of our prefixes beyond a neighbour. */
export type LookingGlass =
  /** Base URL of an HTTP looking glass that answers as birdwatcher does. */
  | { readonly kind: 'http'; readonly url: string }
  /** Control socket of a BIRD that collects routes; a restricted one is enough. */
  | { readonly kind: 'socket'; readonly path: string };
