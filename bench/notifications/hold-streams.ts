/**
 * Clients in a process of their own: the streams of some members. Started with SERVICE_URL, PROJECT, FIRST_MEMBER and
 * MEMBERS; prints `<id of the record> <milliseconds since 1970>` for each notification, and ends on SIGTERM.
 */
import { openDevelopmentIssuer } from '../../src/auth/tokens/development-issuer.ts'
import { openStreams } from './stream-reader.ts'

const { SERVICE_URL = '', PROJECT = '', FIRST_MEMBER, MEMBERS } = process.env
const issuer = await openDevelopmentIssuer(PROJECT)
const readers = {
  url: SERVICE_URL,
  tokenOf: (member: number) => issuer.signToken(`member-${member}`),
  first: Number(FIRST_MEMBER),
  count: Number(MEMBERS),
}
await openStreams(readers, (entityId) => {
  process.stdout.write(`${entityId} ${performance.timeOrigin + performance.now()}\n`)
})
process.on('SIGTERM', () => process.exit())
process.stdout.write('The peer is ready.\n')
