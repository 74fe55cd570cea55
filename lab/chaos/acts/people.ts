/** What people type: commands of `causeway`, and `birdc` behind its back. */
import { causewayHere } from '../../fleet/in-process.ts';
import { service } from '../../network/addresses.ts';
import type { CarrierName, FleetNodeName } from '../../network/names.ts';
import { askNodeBird } from '../../node/bird.ts';
import type { Family } from '../../../src/types/units.ts';
import type { OperatorWord } from '../fault.ts';
import type { World } from '../world.ts';
import type { Act } from './act.ts';

export function operatorSays(
  world: World,
  name: FleetNodeName,
  carrier: CarrierName,
  word: OperatorWord,
): Act {
  const say = async (words: readonly string[]): Promise<void> => {
    await causewayHere(world.node(name).lab.network, words);
  };
  const forAWhile = ['--for', '1h', '--reason', 'chaos'];
  const release = (): Promise<void> => say(['release', carrier]);
  switch (word) {
    case 'drain':
      return { apply: () => say(['drain', carrier, ...forAWhile]), mend: release };
    case 'withdraw':
      return { apply: () => say(['force', 'withdraw', carrier, ...forAWhile]), mend: release };
    case 'announce':
      return { apply: () => say(['force', 'announce', carrier, ...forAWhile]), mend: release };
    case 'freeze':
      return {
        apply: () => say(['freeze', '--reason', 'chaos']),
        mend: () => say(['thaw', '--yes']),
      };
  }
}

export function handOn(world: World, name: FleetNodeName, carrier: CarrierName, family: Family): Act {
  const { network } = world.node(name).lab;
  const protocol = `announce_${carrier}_${service.name}${family}`;
  return {
    apply: async () => {
      await askNodeBird(network, `disable ${protocol} "chaos by hand"`);
    },
    mend: async () => {
      await askNodeBird(network, `enable ${protocol}`);
    },
  };
}
