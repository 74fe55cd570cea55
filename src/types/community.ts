/** BGP communities that are added to an announcement, each of one of the two kinds that carriers document. */

/** standard: RFC 1997, two numbers of 16 bits; large: RFC 8092, three numbers of 32 bits. */
export type Community =
  | { readonly kind: 'standard'; readonly numbers: readonly [number, number] }
  | { readonly kind: 'large'; readonly numbers: readonly [number, number, number] };

/** As operators write it: `64500:100` or `64500:1:2`. */
export function communityText(community: Community): string {
  return community.numbers.join(':');
}
