/** `docket login`: prints a link that signs a browser in to the console. */
import { createLoginCode, loginLink } from '../../../auth/sessions/sign-in.ts'
import { publicUrlOf } from '../../../config/public-url.ts'
import { type Command, exitCodes } from '../../command.ts'
import { developmentUser, refuseOtherIssuers, userOption } from './development-user.ts'

export const command: Command = {
  usage: '',
  summary: 'Print a link that signs in to the console once (10 minutes).',
  options: {
    user: { ...userOption, help: 'Whom it signs in (default: the administrator).' },
    port: { type: 'string', value: 'N', help: 'Port of the service (PORT; default 3000).' },
  },
  positionals: 0,
  run: async (context) => {
    refuseOtherIssuers(context.config, 'links')
    return developmentUser(context, 'docket login', async (user, pool) => {
      const code = await createLoginCode(pool, user.id)
      context.terminal.out(`${loginLink(publicUrlOf(context.config), code)}\n`)
      return exitCodes.done
    })
  },
}
