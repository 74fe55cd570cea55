/**
 * Words that BIRD keeps for itself, up to the 15 characters of an interface's name: keywords, constants and functions of
 * 2.0.12, 2.17, 2.20, 3.1 and 3.4 together. In a route an interface is a symbol, and 2.0.12 and 3.1 take a word of their
 * own for that word even in quotes.
 */
const text = `
AF_IPV4 AF_IPV6 ASPA_INVALID ASPA_UNKNOWN ASPA_VALID KBR_SRC_BIRD KBR_SRC_DYNAMIC KBR_SRC_LOCAL
KBR_SRC_STATIC MPLS_POLICY_VRF NET_ASPA NET_ETH NET_EVPN NET_EVPN_EAD NET_EVPN_ES NET_EVPN_IMET NET_EVPN_MAC
NET_FLOW4 NET_FLOW6 NET_IP4 NET_IP6 NET_IP6_SADR NET_MPLS NET_NEIGHBOR NET_ROA4 NET_ROA6 NET_VPN4 NET_VPN6
ORIGIN_EGP ORIGIN_IGP RA_PREF_HIGH RA_PREF_LOW RA_PREF_MEDIUM ROA_INVALID ROA_UNKNOWN ROA_VALID
RTD_BLACKHOLE RTD_PROHIBIT RTD_UNICAST RTD_UNREACHABLE RTS_AGGREGATED RTS_BABEL RTS_BGP RTS_DEVICE
RTS_INHERIT RTS_L3VPN RTS_OSPF RTS_OSPF_EXT1 RTS_OSPF_EXT2 RTS_OSPF_IA RTS_PIPE RTS_REDIRECT RTS_RIP
RTS_RPKI RTS_STATIC SCOPE_HOST SCOPE_LINK SCOPE_SITE SCOPE_UNDEFINED SCOPE_UNIVERSE accept action add
address administrative advertise aes128 af after aggregate aggregator aigp algorithm all allocator allow
always ao area as as4 asn aspa aspa_check aspa_providers attribute attributes auth authentication autonomous
aware babel babel_metric base bcast bfd bgp bgp_aggregator bgp_aigp bgp_atomic_aggr bgp_community
bgp_local_pref bgp_med bgp_next_hop bgp_origin bgp_otc bgp_path bgpmask bgppath bind bird blackhole
blake2b256 blake2b512 blake2s128 blake2s256 block bmp bool broadcast bt_assert bt_check_assign bt_test_same
bt_test_suite buffer bug by bytestring capabilities case cease change channels check checksum circuit class
cli client clist cluster cmac code collision commands communities confederation config configuration
configure confirm connect connection contains cork cost cost2 count cryptographic current custom customer
data data1 data2 dead debug decay deconfigured default define defined delay delete demand deprecated
description dest deterministic dev device digest digits direct disable disabled distinguisher dnssl do
domain dont_fragment double down dport drop dscp dst dump dynamic ebgp ec echo eclist ecmp eligible else
empty enable enforce enhanced entries enum error eval events exit exp expire export exported extended
external false fatal filename filter filtered filters first first_fragment fixed flags flow4 flow6 flush for
forget format fragment free from from_hex function garbage gateway gc generate generation generic global
graceful group gw gw_mpls header hello help hidden high hit hmac hold hop horizon hostname ibgp icmp id idle
if ifindex ifname ignore igp igp_metric import in infinity info instance int interface interfaces internal
interpret interval ip ipv4 ipv4_mc ipv4_mpls ipv6 ipv6_mc ipv6_mpls ipv6_sadr is_fragment is_v4 is_v6 iso
keep keepalive kernel key keyed keys krt_advmss krt_cwnd krt_feature_ecn krt_hoplimit krt_initcwnd
krt_initrwnd krt_lock_advmss krt_lock_cwnd krt_lock_mtu krt_lock_rtt krt_lock_rttvar krt_lock_window
krt_metric krt_mtu krt_prefsrc krt_quickack krt_realm krt_reordering krt_rto_min krt_rtt krt_rttvar
krt_scope krt_source krt_sstresh krt_window l3vpn label large last last_fragment latency lc lclist learn len
length lifetime limit linger link lived lladdr local log long low lsa lsadb lsid mac managed mandatory mask
match max maxlen md5 med medium member memory merge messages meticulous metric min missing mode monitoring
mpls mpls_class mpls_label mpls_policy mrt mrtdump ms mtu mult multicast multihop multiplier name native
nbma neighbor neighbors net net_evpn_type net_type netlink netmask networks next ng no noexport nonbroadcast
none normal ns nssa of off offset older on onlink only option originate ospf ospf_metric1 ospf_metric2
ospf_router_id ospf_tag other out packets pair partial passive password passwords path paths pe peer perf
period permissive persist ping pipe plaintext pointopoint poison policy poll port post_policy pre_policy
preexport prefer preference preferred prefix prepend pri primary print printn priority private prohibit
propagate proto protocol protocols provider providers ptmp ptp public quad quit ra ra_lifetime ra_preference
radv randomize range ranges rd rdnss reachable real receive recursive recv refresh reject rejected reload
remote repeat require reset resources restart restrict retrans retransmit retry return reverse rfc1583compat
rfc5838 rib rip rip_metric rip_tag ro roa roa4 roa6 roa_check role roles route router routes rpki rr rs
rs_client rs_server rt rtd rts rtt rx rxcost s sadr scan scheduling scope sec secondary secret security self
send sensitive sessions set setkey sets settle sha1 sha256 sha384 sha512 short show shutdown simple single
size skip sockets soft solicited sorted source split sport src ssh stability stacks stale start startup
state states static station stats status stderr strict string stub stubnet summary suppression symbols
syslog system table tables tag target tcp template then thread threads threshold tick time timeformat
timeout timer timers timestamps to topology trace transit translator transmit transport trie trigger true
ttl tunnel tx type udp udp6 undo unicast unknown unreachable unset update us user v2 v3 valid validate value
version via virtual vpn vpn4 vpn4_mc vpn4_mpls vpn6 vpn6_mc vpn6_mpls vrf wait wakeup warn warning watchdog
weight where wired wireless yes zero
`;

const words: ReadonlySet<string> = new Set(text.trim().split(/\s/));

/** Whether some supported BIRD cannot read it as a name. */
export function isBirdWord(name: string): boolean {
  return words.has(name);
}
