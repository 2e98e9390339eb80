/** Recovery codes: each stands once in place of an app that was lost. */
import { randomBytes } from 'node:crypto'
import { digestOf } from '../callers/api-keys.ts'
import { printBase32 } from './totp.ts'

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

/** The stored digest of a code as somebody has typed it. */
export const digestOfCode = (typed: string): string =>
  digestOf(typed.toLowerCase().replaceAll(/[\s-]/g, ''))
