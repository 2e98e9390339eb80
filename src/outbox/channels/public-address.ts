/** Which addresses webhooks may use: only public ones, unless a setting allows others. */
import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { DeliveryError } from '../delivery.ts'

// IANA, "Special-Purpose Address Registry" of both families, with multicast.
const ipv4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]
// Also ranges that contain an address of the other family, and the former ones of a site (fec0::/10).
const ipv6 = [
  ...[
    '::/96',
    '::ffff:0:0/96',
    '::ffff:0:0:0/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '100::/64',
    '2001::/23',
  ],
  ...['2001:db8::/32', '2002::/16', '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/9', 'ff00::/8'],
]

const listOf = (family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits = ''] = range.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

// A single list would find every IPv4 address in the range of mapped IPv6 addresses.
const special = { ipv4: listOf('ipv4', ipv4), ipv6: listOf('ipv6', ipv6) }

/** Whether an IP address is public. */
export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  return !special[family].check(address, family)
}

const refusal = (hostname: string) =>
  new DeliveryError(
    `webhook: ${hostname} has no public address; WEBHOOK_PRIVATE_ADDRESSES=true allows others.`,
    { retryable: false },
  )

/** Rejects a URL with an address that is not public; a name is looked up when it is connected to. */
export const assertPublicHost = ({ hostname }: URL): void => {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) !== 0 && !isPublicAddress(address)) throw refusal(hostname)
}

/**
 * Looks up a name and returns only its public addresses. It is called for each connection, so a name cannot
 * change to a private address later.
 */
export const lookupPublic: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '')
    const open = addresses.filter(({ address }) => isPublicAddress(address))
    const [first] = open
    if (!first) return done(refusal(hostname), '')
    return options.all ? done(null, open) : done(null, first.address, first.family)
  })
}
