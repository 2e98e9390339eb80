/** Checks headers that would be misunderstood if they were ignored. */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { apiError } from '../../errors.ts'
import { shorten } from '../../issues.ts'

/** Whether a service answers to a host name, without its port. */
export type IsAcceptedHost = (hostname: string) => boolean

/** Throws if the header Host occurs twice (RFC 9112, 3.2), or names another host. */
export const assertRightHost = (
  { rawHeaders, headers }: IncomingMessage,
  takesHost: IsAcceptedHost | undefined,
): void => {
  let hosts = 0
  // Names and values alternate. Node silently keeps the first of several.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts > 1) throw apiError('request.invalid', 'The header Host is given more than once.')
  if (!takesHost || headers.host === undefined) return
  const hostname = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(headers.host)?.[1]
  if (hostname === undefined || !takesHost(hostname.replace(/^\[|\]$/g, '').toLowerCase()))
    throw apiError(
      'request.misdirected',
      'With the development issuer the service answers only under names of this machine.',
    )
}

/** Throws if the body is compressed, or is text in another encoding than UTF-8. */
export const assertPlainBody = ({ headers }: FastifyRequest): void => {
  const coding = headers['content-encoding']
  if (coding !== undefined && coding.trim().toLowerCase() !== 'identity')
    // RFC 9110, 15.5.16: the header says what would be accepted.
    throw apiError('request.not-json', `The body is encoded (${shorten(coding, 40)}).`, {
      headers: { 'Accept-Encoding': 'identity' },
    })
  const [, charset] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? []
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw apiError('request.not-json', `The body is in ${shorten(charset, 40)}, not in UTF-8.`)
}
