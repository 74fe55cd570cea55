/** `node`: who this machine is. */
import { asNumber, routerId, wireText } from '../fields.ts';
import { section } from '../section.ts';

export const nodeSchema = section('node', 'Who this node is.', {
  name: wireText('Name of this node in the fleet, GeoDNS and logs.'),
  site: wireText('Where it stands, such as hkg; several nodes may share a site.'),
  asn: asNumber('The AS number of this node, from which it announces.'),
  router_id: routerId("BIRD's router id, unique in the AS; an IPv4 address."),
});
