/** Who a command works for: the administrator, or the user of an option; and commands of the development issuer. */
import { acceptedCredentials } from '../auth/sign-in-ways.ts'
import type { Config } from '../config/load-config.ts'
import type { Pool, Queryable } from '../database/pool.ts'
import { StartupError } from '../errors.ts'
import { ensurePeople } from '../runtime/open-database.ts'
import { requireUser, type User } from '../users/user-store.ts'
import type { CommandOption, Context } from './command.ts'
import { withProject } from './open-project.ts'

export const userOption: CommandOption = {
  type: 'string',
  value: 'E-MAIL',
  help: 'Which user (default: the administrator).',
}

/** Throws unless the service accepts what the development issuer gives. */
export const refuseOtherIssuers = (config: Config, credentials: 'tokens' | 'links'): void => {
  const accepted = acceptedCredentials(config)
  if (accepted === 'issuer')
    throw new StartupError(
      credentials === 'tokens'
        ? `Tokens come from ${config.AUTH_ISSUER} (AUTH_ISSUER); Docket does not sign tokens then.`
        : `Users sign in at ${config.AUTH_ISSUER} (AUTH_ISSUER); Docket gives no links then.`,
    )
  if (accepted === 'keys')
    throw new StartupError(
      `HOST is "${config.HOST}": without AUTH_ISSUER the service accepts only API keys, except on loopback addresses. Create one with "docket api-key create", or set HOST=127.0.0.1.`,
    )
}

/** The user of the option `--user`, else the administrator of the settings. */
export const requireActor = (
  database: Queryable,
  { config, options }: Pick<Context, 'config' | 'options'>,
): Promise<User> =>
  typeof options.user === 'string'
    ? requireUser(database, options.user)
    : requireUser(
        database,
        config.ADMIN_EMAIL,
        'Name a user with --user, or set ADMIN_EMAIL as the service has it.',
      )

/** Opens the database, and works for the user. */
export const developmentUser = async <T>(
  context: Context,
  command: string,
  work: (user: User, pool: Pool) => Promise<T>,
): Promise<T> =>
  withProject(context, { command, needs: 'own tables' }, async (project, { pool }) => {
    await ensurePeople(pool, project, context.config, context.observe)
    return work(await requireActor(pool, context), pool)
  })
