/**
 * Loaded before everything else of a test process. The hash of a password takes 64 MiB and up to a quarter of a second on purpose, which
 * proves nothing in tests of other things: it takes the least memory and one pass there, whatever its parameters say.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { argon2 } = crypto
let isWhole = false

crypto.argon2 = (algorithm, parameters, callback) =>
  argon2(algorithm, isWhole ? parameters : { ...parameters, memory: 8, passes: 1 }, callback)
syncBuiltinESMExports()

/** Hashes take what their parameters say until `work` ends. */
export const withWholeHashes = async (work: () => Promise<void>): Promise<void> => {
  isWhole = true
  await work().finally(() => {
    isWhole = false
  })
}
