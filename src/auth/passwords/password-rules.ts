/** What a password has to be, and its hash. */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { validationError } from '../../errors.ts'
import { createLimit } from '../../limit.ts'
import { waitingSignIns } from '../unauthorized.ts'

/** Characters of a password. */
export const passwordLength = { min: 12, max: 200 } as const

type Person = {
  readonly fullName: string
  readonly email: string
  /** The name of the project, which is often that of the company. */
  readonly serviceName: string
}

/** Throws unless a password is long enough and none of those that are guessed first; `path` is its place in the body. */
export const assertGood = (
  password: string,
  { fullName, email, serviceName }: Person,
  path = 'password',
): void => {
  const names = [fullName, serviceName].flatMap((name) => [name, ...name.split(' ')])
  const own = [email, ...email.split(/[@.]/), ...names]
  const message = issueOf(password.normalize('NFC'), own)
  if (message !== undefined) throw validationError('request.invalid', [{ path, message }])
}

const fewestDifferent = 5

// What guesses begin with.
const common = [
  ...['password', 'passwort', 'lozinka', 'motdepasse', 'administrator', 'welcome', 'willkommen'],
  ...['dobrodosli', 'bienvenue', 'letmein', 'iloveyou', 'football', 'baseball', 'princess'],
  ...['qwertyuiop', 'qwertzuiop', 'azertyuiop', 'asdfghjkl', 'yxcvbnm', 'zxcvbnm', 'qwerty'],
  ...['1234567890', '0987654321', '123456', 'abcdefgh', '1q2w3e4r', 'changeme', 'docket'],
] as const

const issueOf = (password: string, own: readonly string[]): string | undefined => {
  const { length } = [...password]
  if (length < passwordLength.min)
    return `has ${length} characters, at least ${passwordLength.min} are needed`
  const folded = password.toLowerCase()
  const rest = [...own, ...common]
    .filter((word) => word.length > 2)
    .reduce((left, word) => left.replaceAll(word.toLowerCase(), ''), folded)
  if (rest.length < passwordLength.min / 2)
    return 'is little more than a common password, the name or the address of its user, or the name of the service'
  if (new Set(folded).size < fewestDifferent)
    return `has fewer than ${fewestDifferent} different characters`
  return undefined
}

// Hashes of passwords by Argon2id (RFC 9106), computed by Node.js outside of its main thread.

const derive = promisify(argon2)

// 64 MiB and two passes take 100 to 250 ms of one core, and so do guesses.
const memoryKiB = 65_536
const passes = 2
const saltBytes = 16
const hashBytes = 32

// Each takes 64 MiB and a core: without a limit, many sign-ins at once would exhaust the memory, and on two cores two of them all others.
const limit = createLimit(availableParallelism() > 2 ? 2 : 1, waitingSignIns)

type Stored = { readonly memory: number; readonly passes: number; readonly salt: Buffer }

// The same characters can be typed as different code points on different keyboards (RFC 8265, 4.2).
const messageOf = (password: string): string => password.normalize('NFC')

const hashOf = (password: string, { memory, passes, salt }: Stored): Promise<Buffer> => {
  const parameters: Argon2Parameters = {
    message: messageOf(password),
    nonce: salt,
    parallelism: 1,
    tagLength: hashBytes,
    memory,
    passes,
  }
  return limit(() => derive('argon2id', parameters))
}

const encoded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

/** The hash of a password with a new salt, in the PHC string format. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(saltBytes)
  const hash = await hashOf(password, { memory: memoryKiB, passes, salt })
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$${encoded(salt)}$${encoded(hash)}`
}

const format = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([\w+/]+)\$([\w+/]+)$/

/** Whether a password has this hash; without one it takes as long and is false. */
export const isPassword = async (password: string, stored: string | undefined) => {
  const [, memory, times, salt = '', hash = ''] = format.exec(stored ?? '') ?? []
  const given = await hashOf(password, {
    memory: Number(memory ?? memoryKiB),
    passes: Number(times ?? passes),
    salt: salt === '' ? Buffer.alloc(saltBytes) : Buffer.from(salt, 'base64'),
  })
  const expected = Buffer.from(hash, 'base64')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
