/**
 * Signs tokens for a project without an issuer, during development. The key is stored in the project, and
 * the service accepts its tokens only while it listens on a loopback address.
 */
import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { BlockList, isIP } from 'node:net'
import { join } from 'node:path'
import { createLocalJWKSet, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { makePrivate } from '../../database/private-folder.ts'
import { StartupError } from '../../errors.ts'
import type { KeySource } from './verify-token.ts'

type DevelopmentIssuer = {
  readonly keys: KeySource
  readonly audience: string
  /** Signs a token for the user with this identity_provider_user_id; it is valid for 30 days. */
  readonly signToken: (subject: string) => Promise<string>
}

const issuer = 'docket-development'
const audience = 'docket'
const algorithm = 'ES256'

/** Opens the issuer of a project; its key is created at the first use. */
export const openDevelopmentIssuer = async (
  projectDirectory: string,
): Promise<DevelopmentIssuer> => {
  const file = join(projectDirectory, '.docket', 'development-issuer.json')
  const key = (await readKey(file)) ?? (await makeKey(file))
  const { d: _secret, ...publicKey } = key
  const keys = { issuer, keyOf: createLocalJWKSet({ keys: [publicKey] }) }
  const privateKey = await importJWK(key, algorithm)
  return {
    keys: { current: async () => keys, newerThan: async () => undefined },
    audience,
    signToken: (subject) =>
      new SignJWT()
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(key.kid && { kid: key.kid }) })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt()
        .setExpirationTime('30d')
        .sign(privateKey),
  }
}

const readKey = async (file: string): Promise<JWK | undefined> => {
  try {
    const key = JSON.parse(await readFile(file, 'utf8')) as JWK
    await importJWK(key, algorithm)
    return key
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new StartupError(
      `The key of the development issuer cannot be read from ${file}. Delete the file to get a new key; tokens signed with the old key become invalid.`,
      { cause: error },
    )
  }
}

const makeKey = async (file: string): Promise<JWK> => {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: algorithm }
  const draft = `${file}.${randomUUID()}`
  await makePrivate(join(file, '..'))
  await writeFile(draft, `${JSON.stringify(key)}\n`, { mode: 0o600, flag: 'wx' })
  try {
    // A link is complete or absent, and the first of two processes wins.
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
  return (await readKey(file)) ?? key
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/** Whether a host, by its name or address, can be reached only from this machine. */
export const isLoopback = (host: string): boolean => {
  if (host.toLowerCase() === 'localhost') return true
  const family = isIP(host)
  return family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4')
}
