/**
 * The decision in Lua: the same as `decision/decide.ts`, over the tables that `zone.ts` fills. Written for LuaJIT and Lua 5.1
 * to 5.4, without double quotes. `G` stands for the zone's global, `F` for the one that is being filled.
 *
 * - ECS with source length 0 (RFC 7871 7.1.2: the user wants none) is the resolver's own address.
 * - ECS of a private range says nothing to a database, so the resolver's address is looked up; subnets still see it.
 * - An IPv4 address mapped into IPv6 is the IPv4 address.
 *
 * A call into PowerDNS (a method of an address, a look-up, a prefix tree) costs some 2 to 5 µs of the 100 that a question
 * costs, so each is made only where its answer can matter; `G.m` is all private ranges and overrides in one tree.
 */
const text = `
F.k=function(d, v) local y=v[d:sub(1, 1)] for j=2, #d do y=y..'|'..v[d:sub(j, j)] end return y end
F.f=function(pol, qt)
  local p=G.R[pol]
  local a=bestwho
  local s=a:toString()
  if (s=='0.0.0.0' or s=='::') and ecswho and ecswho:getBits()==0 then a=who s=a:toString() end
  if s:sub(1, 7)=='::ffff:' and a:isMappedIPv4() then a=a:mapToIPv4() s=a:toString() end
  local n
  if G.m:match(a) then
    if ecswho and G.V:match(a) then
      local l=who
      if l:isMappedIPv4() then l=l:mapToIPv4() end
      s=l:toString()
    end
    for i=1, #G.O do if G.O[i][1]:match(a) then n=G.O[i][2] break end end
  end
  local g=geoiplookup(s, 0)
  local c=geoiplookup(s, 3)
  local v={a=g, n=n or G.N[g] or '', c=c, u=''}
  if p.y then v.t=geoiplookup(s, 2) end
  if p.u[c] then v.u=c..'-'..geoiplookup(s, 6) end
  local b=0
  for i=1, #p.t do
    local r=p.t[i][2][G.k(p.t[i][1], v)]
    if r and (b==0 or r<b) then b=r end
  end
  if #p.s>0 and p.m:match(a) then
    for i=1, #p.s do
      local e=p.s[i]
      if b>0 and e[1]>b then break end
      if e[2]:match(a) and (e[3]=='' or e[4][G.k(e[3], v)]) then b=e[1] break end
    end
  end
  local q=G.Q[pol]
  local x=q['X'..qt][c]
  local r=G.P[(x and x[b]) or q[qt][b]]
  if r.w then return pickwhashed(r.w) end
  return r
end
`;

/** On one line: defined in the table `fresh`, and reading the zone's `global`, whose place `fresh` will take. */
export function decideLua(fresh: string, global: string): string {
  return text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\bF\./g, `${fresh}.`)
    .replaceAll(/\bG\./g, `${global}.`);
}
