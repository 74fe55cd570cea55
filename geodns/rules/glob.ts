/** `hk1/cmi`, `hk1/*`, `*` + `/cmi`: a target by node and uplink. */
export function matchesGlob(glob: string, target: string): boolean {
  const [globNode, globUplink] = glob.split('/');
  const [node, uplink] = target.split('/');
  return (globNode === '*' || globNode === node) && (globUplink === '*' || globUplink === uplink);
}
