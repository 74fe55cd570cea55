/** What the daemon would tell the two nodes of the bench. */

const node = (name: string, up: boolean): object => ({
  host: `${name}.edge.test`,
  accepting: true,
  weight: 100,
  uplinks: { cmi: { carrier: 'cmi', score: 90, families: { '4': { up } } } },
});

/** `up`: whether hk1 has CMI. */
export function stateWord(self: string, seq = 1, up = true): string {
  return JSON.stringify({
    schema: 1,
    epoch: 1,
    seq,
    generatedAt: '2026-11-30T00:00:00Z',
    ttlMillis: 1e9,
    self,
    nodesActive: 2,
    nodes: { hk1: node('hk1', up), hk2: node('hk2', true) },
  });
}
