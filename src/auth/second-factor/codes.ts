/** Codes of a second factor: of authenticator apps, and those that stand in place of a lost one. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { digestOf } from '../callers/api-keys.ts'

const digits = 6
export const keyBytes = 20

/** Seconds of a step of time. */
export const stepSeconds = 30

/** The code of a key in a step of time (RFC 4226, 5.3). */
export const codeAt = (key: Uint8Array, step: number): string => {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0xf
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The newest step of those around `now` that has this code; clocks may differ by one step. */
export const stepOf = (key: Uint8Array, code: string, now: number): number | undefined =>
  [now + 1, now, now - 1].find((step) => isSame(codeAt(key, step), code))

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Bytes in base 32 (RFC 4648, 6), whose number is a multiple of five. */
export const printBase32 = (bytes: Uint8Array): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/g, (group) => alphabet[Number.parseInt(group, 2)] ?? '')
}

/** The bytes of a text in base 32. */
export const readBase32 = (text: string): Uint8Array => {
  const bits = [...text].map((sign) => alphabet.indexOf(sign).toString(2).padStart(5, '0')).join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (group) => Number.parseInt(group, 2))
}

/** The address in the QR code for an app. */
export const appAddress = (key: string, account: string, service: string): string => {
  const label = `${encodeURIComponent(service)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${key}&issuer=${encodeURIComponent(service)}`
}

// Recovery codes: each stands once in place of an app that was lost.

const codes = 10
// 120 random bits, so that a slow hash would not protect them better.
const codeBytes = 15

/** Ten new codes, in groups of four characters that are not mistaken for each other. */
export const createRecoveryCodes = (): readonly string[] =>
  Array.from({ length: codes }, () =>
    printBase32(randomBytes(codeBytes))
      .toLowerCase()
      .replaceAll(/.{4}(?=.)/g, '$&-'),
  )

/** The stored digest of a code as it was typed. */
export const digestOfCode = (typed: string): string =>
  digestOf(typed.toLowerCase().replaceAll(/[\s-]/g, ''))
