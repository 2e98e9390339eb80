/** A proxy for TLS in front of a service, as Caddy and nginx are, with a certificate that it signs itself. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterwards } from './afterwards.ts'

/** The address that the proxy says its clients have, which is not that of this machine. */
export const clientAddress = '203.0.113.7'

/** An element of DER with fewer than 65,536 bytes. */
const der = (tag: number, ...parts: readonly (Buffer | string)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const { length } = body
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  const size = length < 128 ? [length] : long
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts)
const identifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))

/** Node.js makes keys and signatures, and no certificates: this is the least that RFC 5280 asks of one. */
const createCertificate = (name: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'))
  const commonName = sequence(identifier('550403'), der(0x0c, name))
  const subject = sequence(der(0x31, commonName))
  const validity = sequence(der(0x17, '200101000000Z'), der(0x17, '491231235959Z'))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const serial = der(0x02, Buffer.from([1]))
  const signed = sequence(serial, ecdsaWithSha256, subject, validity, subject, key)
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, privateKey))
  const text = sequence(signed, ecdsaWithSha256, signature).toString('base64')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
}

export type TlsProxy = {
  readonly url: string
  /** Where requests are passed to from now on. */
  readonly passTo: (url: string) => void
  readonly close: () => Promise<void>
}

/** Listens on a free port of this machine, which browsers of tests find by any name that ends with `.test`. */
export const startTlsProxy = async (name: string): Promise<TlsProxy> => {
  let target = ''
  const server = createServer(createCertificate(name), (incoming, answer) => {
    const { method = 'GET', url = '/', headers } = incoming
    const sent = request(new URL(url, target), {
      method,
      headers: { ...headers, 'x-forwarded-for': clientAddress, 'x-forwarded-proto': 'https' },
    })
    sent.on('response', (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers)
      given.on('error', () => answer.destroy())
      given.pipe(answer)
    })
    sent.on('error', () => answer.destroy())
    answer.on('close', () => sent.destroy())
    incoming.pipe(sent)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://${name}:${(server.address() as AddressInfo).port}`,
    passTo: (url) => {
      target = url
    },
    close: afterwards(async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    }),
  }
}
