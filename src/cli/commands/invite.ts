/** `docket invite`: prints or sends a link that lets a person in; creates the user if a name is given. */
import {
  createInvitation,
  invitationLink,
  type NewInvitation,
} from '../../auth/passwords/invitations.ts'
import { offeredSignInWays, sendsEmail } from '../../auth/sign-in-ways.ts'
import { publicUrlOf } from '../../config/load-config.ts'
import { email as emailOf } from '../../config/setting.ts'
import type { Queryable } from '../../database/pool.ts'
import { transaction } from '../../database/transaction.ts'
import { textIssue } from '../../definitions/values/check-text.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { StartupError } from '../../errors.ts'
import { lowerCase } from '../../lower-case.ts'
import { sendInvitation } from '../../outbox/account-email.ts'
import { ensurePeople } from '../../runtime/open-database.ts'
import { listRoles } from '../../users/roles.ts'
import { findUserByEmail, insertUser, requireUser } from '../../users/user-store.ts'
import { type Command, type Context, exitCodes, requiredText, UsageError } from '../command.ts'
import { withProject } from '../open-project.ts'
import { findService, noteAddressOfLink } from '../running-service.ts'

export const command: Command = {
  usage: '',
  summary: 'Print or send a link that lets a person in (72 hours, once).',
  options: {
    email: { type: 'string', value: 'E-MAIL', help: 'Whom the link is for.' },
    name: { type: 'string', value: 'NAME', help: 'Full name, for a user who is created.' },
    send: { type: 'boolean', help: 'Send it by e-mail instead of printing it.' },
    role: { type: 'string', value: 'KEY', help: 'Security role, for a user who is created.' },
  },
  positionals: 0,
  run: async (context) => {
    const { config, observe, terminal } = context
    const email = requiredText(context.options.email, 'email')
    if (typeof emailOf(email) !== 'string')
      throw new UsageError(`--email must be an e-mail address; it is "${email}".`)
    const needs = { command: 'docket invite', needs: 'own tables' } as const
    return withProject(context, needs, async (project, { pool }) => {
      const { whyNoInvitations: reason } = offeredSignInWays(config, project.settings)
      if (reason !== undefined) throw new StartupError(`Nobody can be invited. ${reason}`)
      const isSent = context.options.send === true
      if (isSent && !sendsEmail(config))
        throw new StartupError(
          '--send needs a provider of e-mails: set EMAIL_PROVIDER (docs/email.md).',
        )
      await ensurePeople(pool, project, config, observe)
      const { user, one } = await transaction(pool, async (connection) => {
        await ensureUser(connection, email, context)
        const invited = await requireUser(
          connection,
          email,
          'Give --name and --role to create them.',
        )
        const one = { userId: invited.id, invitedBy: null }
        const created: NewInvitation | undefined = isSent
          ? await sendInvitation(connection, one)
          : await createInvitation(connection, one)
        if (!created) throw new StartupError(`The user ${email} is blocked or inactive.`)
        return { user: invited, one: created }
      })
      observe({ kind: 'userInvited', userId: user.id, by: null })
      if (one.code !== undefined)
        terminal.out(`${invitationLink(await addressOf(context), one.code)}\n`)
      terminal.note(
        `It opens the account of ${user.full_name}, once, until ${one.expiresAt}. ${isSent ? 'The service sends it by e-mail.' : 'Anybody who has it can do so: send it to them alone.'}\n`,
      )
      return exitCodes.done
    })
  },
}

/** The public address; without one that of the service that runs, which may have another port. */
const addressOf = async (context: Context): Promise<string> => {
  const { config } = context
  const configured = publicUrlOf(config)
  if (config.PUBLIC_URL !== undefined) return configured
  const found = await findService(config.PROJECT, configured)
  noteAddressOfLink(context, found)
  return found.address
}

const maxName = 200

/** Creates the user of a name and role that are given, unless they exist. */
const ensureUser = async (
  database: Queryable,
  email: string,
  { options }: Context,
): Promise<void> => {
  if (options.name === undefined && options.role === undefined) return
  if (await findUserByEmail(database, email))
    throw new StartupError(
      `There is a user with the e-mail ${email}. Leave --name and --role out to invite them.`,
    )
  const fullName = requiredText(options.name, 'name')
  const role = requiredText(options.role, 'role')
  if (fullName.length > maxName || textIssue(fullName) !== undefined)
    throw new UsageError(`--name must be a name of at most ${maxName} characters.`)
  const [first = fullName, ...rest] = fullName.split(' ')
  const id = await insertUser(database, {
    identity_provider_user_id: lowerCase(email),
    first_name: first,
    // A single name is both.
    last_name: rest.length > 0 ? rest.join(' ') : first,
    full_name: fullName,
    email,
    role_key: role,
  })
  if (id === undefined) throw new StartupError(await whyNotCreated(database, email, role))
}

const whyNotCreated = async (database: Queryable, email: string, role: string): Promise<string> => {
  const keys = (await listRoles(database)).map(({ key }) => key)
  const why = keys.includes(role)
    ? 'another user has this address as user name or subject.'
    : `there is no role "${role}"${didYouMean(role, keys) || '.'}`
  return `The user ${email} cannot be created: ${why}`
}
