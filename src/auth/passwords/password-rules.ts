/** What a password has to be. */
import { validationError } from '../../errors.ts'

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
