/** `docket token`: prints a token of the development issuer. */

import { acceptedCredentials } from '../../auth/tokens/accepted-credentials.ts'
import { openDevelopmentIssuer } from '../../auth/tokens/development-issuer.ts'
import { StartupError } from '../../errors.ts'
import { ensurePeople, openDatabase, requireDatabase } from '../../runtime/open-database.ts'
import { findUserByEmail } from '../../users/user-store.ts'
import { type Command, exitCodes } from '../command.ts'
import { openProject } from '../open-project.ts'

export const command: Command = {
  usage: '',
  summary: 'Print a token of the development issuer (30 days).',
  options: {
    user: { type: 'string', value: 'E-MAIL', help: 'Whose token (default: the administrator).' },
  },
  positionals: 0,
  run: async ({ config, options, terminal, observe }) => {
    if (config.AUTH_ISSUER !== undefined)
      throw new StartupError(
        `Tokens come from ${config.AUTH_ISSUER} (AUTH_ISSUER); Docket does not sign tokens then.`,
      )
    if (acceptedCredentials(config) === 'keys')
      throw new StartupError(
        `HOST is "${config.HOST}": without AUTH_ISSUER the service accepts only API keys, except on loopback addresses. Create one with "docket api-key create", or set HOST=127.0.0.1.`,
      )
    const { project } = await openProject(config)
    const database = await openDatabase(config, observe)
    try {
      const needs = { command: 'docket token', needs: 'own tables' } as const
      await requireDatabase(database.pool, project, config, observe, needs)
      await ensurePeople(database.pool, project, config, observe)
      const email = typeof options.user === 'string' ? options.user : config.ADMIN_EMAIL
      const user = await findUserByEmail(database.pool, email)
      if (!user)
        throw new StartupError(
          `There is no user with the e-mail ${email}. "docket seed" loads the users of the project.`,
        )
      const issuer = await openDevelopmentIssuer(config.PROJECT)
      terminal.out(`${await issuer.signToken(user.identity_provider_user_id)}\n`)
      return exitCodes.done
    } finally {
      await database.close()
    }
  },
}
