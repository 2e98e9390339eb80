/** The invitation of the first administrator, as long as nobody can sign in to a service without an identity provider. */
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { roleKeysOf } from '../auth/caller.ts'
import { createInvitation, invitationLink } from '../auth/passwords/invitations.ts'
import { findFirstCredential } from '../auth/passwords/password-store.ts'
import { acceptedCredentials, type SignInWays } from '../auth/sign-in-ways.ts'
import type { Config } from '../config/load-config.ts'
import type { Pool, Queryable } from '../database/pool.ts'
import { makePrivate } from '../database/private-folder.ts'
import { transaction } from '../database/transaction.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { findUserByEmail, lockAdministrators } from '../users/user-store.ts'
import { commandLine } from './output.ts'

type Options = {
  readonly pool: Pool
  readonly config: Config
  readonly ways: SignInWays
  readonly base: string
  /** Whether a person reads what the start prints; otherwise it may end up in a log. */
  readonly isShown: boolean
}

/** What a start says about the first administrator; undefined once people can sign in, or where they have no passwords. */
export const firstInvitation = async (options: Options): Promise<string | undefined> => {
  const { pool, config, ways } = options
  if (acceptedCredentials(config) !== 'keys' || ways.whyNoInvitations !== undefined)
    return undefined
  try {
    // Of several processes that start at once, one invites.
    return await transaction(pool, async (connection) => {
      await lockAdministrators(connection)
      const has = await findFirstCredential(connection)
      if (has === undefined) return invite(connection, options)
      return has === 'invitation' ? byCommand(config) : undefined
    })
  } catch (error) {
    // The service runs without it: where nothing may be written, the command prints the link.
    if (isFileError(error)) return byCommand(config)
    throw error
  }
}

const byCommand = ({ ADMIN_EMAIL, PROJECT }: Config): string =>
  `Nobody can sign in yet. This prints a link that lets the first administrator in:
  ${commandLine(`invite --email ${ADMIN_EMAIL}`, PROJECT)}`

const isFileError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'path' in error

const invite = async (
  connection: Queryable,
  { config, base, isShown }: Options,
): Promise<string | undefined> => {
  const user = await findUserByEmail(connection, config.ADMIN_EMAIL)
  if (!user || !roleKeysOf({ roleKey: user.role_key ?? '' }).includes(administratorRole))
    return undefined
  const one = await createInvitation(connection, { userId: user.id, invitedBy: null })
  if (!one) return undefined
  const link = invitationLink(base, one.code)
  if (isShown) return `This link lets the first administrator in, once, within 72 hours:\n  ${link}`
  const file = await writeLink(config.PROJECT, link)
  return `The link in ${file} lets the first administrator in, once, within 72 hours.`
}

const writeLink = async (project: string, link: string): Promise<string> => {
  const file = join(project, '.docket', 'first-invitation')
  const draft = `${file}.${process.pid}`
  await makePrivate(join(file, '..'))
  await writeFile(draft, `${link}\n`, { mode: 0o600 })
  await rename(draft, file)
  return file
}
