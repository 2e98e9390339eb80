/** `docket check-database`: whether a server suits Docket, before a database is created on it or moved to it. */
import { connectionDemandOf } from '../../diagnosis/connection-demand.ts'
import { checkServer } from '../../diagnosis/server/check-server.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../option-values.ts'
import { printFindings } from '../terminal/findings.ts'

export const command: Command = {
  usage: 'URL',
  summary: 'Examine a server before Docket uses it; nothing stays on it.',
  options: {
    json: { type: 'boolean', help: 'Print the findings as JSON, for machines.' },
  },
  takesNoProject: true,
  positionals: 1,
  run: async ({ config, options, positionals: [url = ''], terminal }) => {
    // The address may contain a password, so it is not repeated.
    if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
      throw new UsageError('URL must be the address of a database: postgres://ROLE@HOST/DATABASE.')
    const demand = connectionDemandOf(config)
    const all = demand.requests + demand.jobs + demand.process + demand.start
    const findings = await checkServer(url, all)
    return printFindings(findings, { terminal, asJson: options.json === true })
  },
}
