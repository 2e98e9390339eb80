/** `docket login`: prints a link that signs a browser in to the console. */
import { createLoginCode, loginLink } from '../../auth/sessions/sign-in.ts'
import { publicUrlOf } from '../../config/load-config.ts'
import { type Command, type Context, exitCodes } from '../command.ts'
import { developmentUser, refuseOtherIssuers, userOption } from '../development-user.ts'
import { findService, noteAddressOfLink } from '../running-service.ts'

export const command: Command = {
  usage: '',
  summary: 'Print a link that signs in to the console once (10 minutes).',
  options: {
    user: { ...userOption, help: 'Whom it signs in (default: the administrator).' },
    port: {
      type: 'string',
      value: 'N',
      help: 'Port of the service (default: that of the one that runs).',
    },
  },
  positionals: 0,
  run: async (context) => {
    refuseOtherIssuers(context.config, 'links')
    return developmentUser(context, 'docket login', async (user, pool) => {
      const code = await createLoginCode(pool, user.id)
      const { address, isRunning, isNoted } = await addressOf(context)
      if (isRunning) noteAddressOfLink(context, { address, isNoted })
      else
        context.terminal.note(
          `No service answers at ${address}. Start it with "docket start", or give its port with --port; then open the link.\n`,
        )
      context.terminal.out(`${loginLink(address, code)}\n`)
      return exitCodes.done
    })
  },
}

/** A port that is given is meant. */
const addressOf = ({ config, options }: Context) => {
  const configured = publicUrlOf(config)
  return options.port === undefined
    ? findService(config.PROJECT, configured)
    : { address: configured, isRunning: true, isNoted: true }
}
