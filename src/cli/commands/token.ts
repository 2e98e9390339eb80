/** `docket token`: prints a token of the development issuer. */
import { openDevelopmentIssuer } from '../../auth/tokens/development-issuer.ts'
import { type Command, exitCodes } from '../command.ts'
import { developmentUser, refuseOtherIssuers, userOption } from '../development-user.ts'

export const command: Command = {
  usage: '',
  summary: 'Print a token of the development issuer (30 days).',
  options: { user: { ...userOption, help: 'Whose token (default: the administrator).' } },
  positionals: 0,
  run: async (context) => {
    const { config, terminal } = context
    refuseOtherIssuers(config, 'tokens')
    return developmentUser(context, 'docket token', async (user) => {
      const issuer = await openDevelopmentIssuer(config.PROJECT)
      terminal.out(`${await issuer.signToken(user.identity_provider_user_id)}\n`)
      return exitCodes.done
    })
  },
}
