#!/bin/sh
# Policy routing for Causeway, printed by `causeway routing`. Safe to run again. Lasts until the next boot:
# run it at boot before BIRD starts, or use `causeway routing --format networkd`.
# What cannot be set (an interface that is not there yet) is said, and the rest is set all the same.
failed=0

# strict reverse-path filtering would drop answers that come in on eth1 while main points elsewhere
sysctl -qw net.ipv4.conf.eth1.rp_filter=2 || failed=1
# strict reverse-path filtering would drop answers that come in on eth2.100 while main points elsewhere
sysctl -qw net.ipv4.conf.eth2/100.rp_filter=2 || failed=1
# strict reverse-path filtering would drop answers that come in on eth3 while main points elsewhere
sysctl -qw net.ipv4.conf.eth3.rp_filter=2 || failed=1
# the prober opens ICMP datagram sockets without privileges; the kernel default "1 0" refuses even root
sysctl -qw net.ipv4.ping_group_range="0 2147483647" || failed=1

# uplink cmi, table 1001
while ip -4 rule del pref 10000 2>/dev/null; do :; done
ip -4 rule add pref 10000 from 192.0.2.6 lookup 1001 || failed=1
while ip -4 rule del pref 10001 2>/dev/null; do :; done
ip -4 rule add pref 10001 oif eth1 lookup 1001 || failed=1
while ip -6 rule del pref 10000 2>/dev/null; do :; done
ip -6 rule add pref 10000 from 2001:db8:1::2 lookup 1001 || failed=1
while ip -6 rule del pref 10001 2>/dev/null; do :; done
ip -6 rule add pref 10001 oif eth1 lookup 1001 || failed=1

# uplink pccw, table 1002
while ip -4 rule del pref 10002 2>/dev/null; do :; done
ip -4 rule add pref 10002 from 192.0.2.10 lookup 1002 || failed=1
while ip -4 rule del pref 10003 2>/dev/null; do :; done
ip -4 rule add pref 10003 oif eth2.100 lookup 1002 || failed=1
while ip -6 rule del pref 10002 2>/dev/null; do :; done
ip -6 rule add pref 10002 from 2001:db8:2::2 lookup 1002 || failed=1
while ip -6 rule del pref 10003 2>/dev/null; do :; done
ip -6 rule add pref 10003 oif eth2.100 lookup 1002 || failed=1

# uplink hkbn, table 1003
while ip -4 rule del pref 10004 2>/dev/null; do :; done
ip -4 rule add pref 10004 from 192.0.2.14 lookup 1003 || failed=1
while ip -4 rule del pref 10005 2>/dev/null; do :; done
ip -4 rule add pref 10005 oif eth3 lookup 1003 || failed=1

# service dns: its answers leave by the tables of what is learnt, one after the other
while ip -4 rule del table 2001 2>/dev/null; do :; done
while ip -4 rule del pref 20000 2>/dev/null; do :; done
ip -4 rule add pref 20000 from 198.51.100.0/24 lookup 2001 || failed=1
while ip -4 rule del table 2003 2>/dev/null; do :; done
while ip -4 rule del pref 20001 2>/dev/null; do :; done
ip -4 rule add pref 20001 from 198.51.100.0/24 lookup 2003 || failed=1
while ip -6 rule del table 2001 2>/dev/null; do :; done
while ip -6 rule del pref 20002 2>/dev/null; do :; done
ip -6 rule add pref 20002 from 2001:db8:53::/48 lookup 2001 || failed=1

# Default routes for use before BIRD runs; BIRD's own have a better metric.
ip -4 route replace default via 192.0.2.5 dev eth1 table 1001 metric 4096 || failed=1
ip -6 route replace default via 2001:db8:1::1 dev eth1 table 1001 metric 4096 onlink || failed=1
ip -4 route replace default via 192.0.2.9 dev eth2.100 table 1002 metric 4096 || failed=1
ip -6 route replace default via fe80::1 dev eth2.100 table 1002 metric 4096 onlink || failed=1
ip -4 route replace default via 192.0.2.13 dev eth3 table 1003 metric 4096 || failed=1

exit "$failed"
