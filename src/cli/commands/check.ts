/** `docket check`: every fault of a project at once, for people and for editors. */
import { printFinding } from '../../definitions/source-file.ts'
import { checkDocuments } from '../../seeding/check-documents.ts'
import { type Command, exitCodes } from '../command.ts'
import { examineProject } from '../open-project.ts'

export const checkCommand: Command = {
  name: 'check',
  usage: '',
  summary: 'Check a project and report every fault with file, line and column.',
  options: {
    json: { type: 'boolean', help: 'Print the findings as JSON, for machines.' },
  },
  positionals: 0,
  run: async ({ config, options, terminal }) => {
    const { project, findings: found } = await examineProject(config)
    // At a start the records themselves say what there is, and not the seeds.
    const findings = project ? [...found, ...(await checkDocuments(project))] : found
    const errors = findings.filter(({ severity }) => severity === 'error').length
    if (options.json) terminal.out(`${JSON.stringify(findings, null, 2)}\n`)
    else {
      for (const finding of findings) terminal.out(`${printFinding(finding)}\n`)
      const entities = project?.catalog.entities.size
      terminal.out(
        errors === 0
          ? `The project is right: ${entities} entities, ${project?.catalog.roles.size} roles, ${counted(findings.length, 'warning')}.\n`
          : `${counted(errors, 'fault')}, ${counted(findings.length - errors, 'warning')}.\n`,
      )
    }
    return errors === 0 ? exitCodes.done : exitCodes.findings
  },
}

const counted = (count: number, what: string): string =>
  `${count} ${count === 1 ? what : `${what}s`}`
